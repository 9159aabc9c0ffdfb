import { describe, expect, test } from "vitest";
import { StreamError } from "../../adapters/stream_error.ts";

describe("StreamError", () => {
  test("carries what is known, and nothing else", () => {
    const cause = new Error("below");
    const error = new StreamError("http-500", "Oh", { status: 500, cause });
    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe("StreamError");
    expect(error.message).toBe("Oh");
    expect(error.code).toBe("http-500");
    expect(error.status).toBe(500);
    expect(error.cause).toBe(cause);
    expect(Object.keys(error).sort()).toEqual(["code", "name", "status"]);
    expect("cause" in new StreamError("x", "y")).toBe(false);
  });
});
