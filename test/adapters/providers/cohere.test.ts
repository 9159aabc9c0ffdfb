import { describe, expect, test } from "vitest";
import { cohere } from "../../../adapters/providers/cohere.ts";
import { decodeWith } from "./decode.ts";

describe("Cohere", () => {
  test("an error at the end is an error", () => {
    const got = decodeWith(cohere, [
      {
        type: "content-delta",
        delta: { message: { content: { text: "a" } } },
      },
      { type: "message-end", delta: { finish_reason: "ERROR" } },
    ]);
    expect(got.text).toBe("a");
    expect(got.errors[0]!.error.code).toBe("ERROR");
    expect(got.finish).toMatchObject({ reason: "error", complete: true });
  });
});
