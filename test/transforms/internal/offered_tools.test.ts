import { describe, expect, test } from "vitest";
import { OfferedTools } from "../../../transforms/internal/offered_tools.ts";

describe("OfferedTools", () => {
  const tools = new OfferedTools(
    new Map<string, never>([
      ["read", { properties: { path: {}, toString: {} } } as never],
      ["any", undefined as never],
      ["none", true as never],
    ]),
  );

  test("names", () => {
    expect(tools.has("read")).toBe(true);
    expect(tools.has("rea")).toBe(false);
    expect(tools.has("constructor")).toBe(false);
    for (const prefix of ["r", "rea", "read", "n"]) {
      expect(tools.begins(prefix), prefix).toBe(true);
    }
    for (const prefix of ["x", "reads", "R"]) {
      expect(tools.begins(prefix), prefix).toBe(false);
    }
  });

  test("parameters", () => {
    expect([...tools.parameters("read")!]).toEqual(["path", "toString"]);
    for (const name of ["any", "none", "gone"]) {
      expect(tools.parameters(name), name).toBe(undefined);
    }
  });
});
