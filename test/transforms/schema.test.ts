import { expect, test } from "vitest";
import { z } from "zod";
import type { Schema, StandardSchema, Tool } from "../../mod.ts";

test("zod schemas, JSON Schemas and none are schemas of tools", () => {
  const schema: Schema = z.object({ path: z.string() });
  const tools: Tool[] = [
    { name: "a", inputSchema: schema },
    { name: "b", inputSchema: { type: "object", properties: {} } },
    { name: "c", inputSchema: true },
    { name: "d" },
  ];
  expect(tools.length).toBe(4);
});

test("the interface declared here is the one that zod implements", () => {
  const schema: StandardSchema<unknown, { path: string }> = z.object({
    path: z.string(),
  }) as never;
  const good = schema["~standard"].validate({ path: "a" });
  const bad = schema["~standard"].validate({ path: 1 });
  expect(good).toEqual({ value: { path: "a" } });
  expect("issues" in bad && bad.issues!.length).toBe(1);
});
