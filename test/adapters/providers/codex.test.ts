import { describe, expect, test } from "vitest";
import { codex } from "../../../adapters/providers/codex.ts";
import { decodeWith } from "./decode.ts";

describe("Codex", () => {
  test("messages stand on lines of their own and can grow", () => {
    const item = (type: string, text: string, id: string): unknown => ({
      type,
      item: { id, type: "agent_message", text },
    });
    const got = decodeWith(codex, [
      item("item.started", "He", "a"),
      item("item.updated", "Hel", "a"),
      item("item.completed", "Hello", "a"),
      item("item.completed", "again", "b"),
      { type: "turn.completed", usage: { input_tokens: 1 } },
    ]);
    expect(got.text).toBe("Hello\nagain");
    expect(got.finish).toMatchObject({ reason: "stop", complete: true });
  });

  test("an error that was overcome, and a failed turn", () => {
    const error = { type: "error", message: "reconnecting" };
    expect(decodeWith(codex, [error, { type: "turn.completed" }]).finish)
      .toMatchObject({ reason: "stop" });
    const failed = decodeWith(codex, [error, {
      type: "turn.failed",
      error: { message: "gone" },
    }]);
    expect(failed.errors.map((one) => [one.error.message, one.fatal])).toEqual([
      ["reconnecting", false],
      ["gone", true],
    ]);
    expect(failed.finish).toMatchObject({ reason: "error", complete: true });
  });
});
