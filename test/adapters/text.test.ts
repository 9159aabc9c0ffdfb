import { describe, expect, test } from "vitest";
import { fromText } from "../../adapters/text.ts";
import { collect } from "../../mod.ts";
import { checkConservation } from "../laws.ts";
import { pieces } from "../support/cases/wire_case.ts";
import { drained } from "../support/wire.ts";

describe("fromText", () => {
  test("gives the text, with its offsets", async () => {
    const text = "a\r\né😀\u2028\0";
    for (const chunks of [[text], pieces(new TextEncoder().encode(text), 1)]) {
      const { output } = await drained(fromText(chunks));
      checkConservation(text, output);
    }
  });

  test("drops one byte order mark at the beginning", async () => {
    expect((await collect(fromText("\ufeffa"))).text).toBe("a");
    expect((await collect(fromText(["\ufeff", "\ufeffa"]))).text).toBe(
      "\ufeffa",
    );
  });

  test("does not say that it is complete", async () => {
    const { finish, warnings } = await collect(fromText(""));
    expect(finish).toEqual({
      type: "finish",
      reason: "unknown",
      complete: false,
    });
    expect(warnings).toEqual([]);
  });

  test("malformed bytes are a warning, or fatal", async () => {
    const bytes = Uint8Array.of(0x61, 0xff, 0x62);
    const lenient = await collect(fromText(bytes));
    expect(lenient.text).toBe("a\ufffdb");
    expect(lenient.warnings.map(({ code }) => code)).toEqual(["invalid-utf8"]);
    const fatal = await collect(fromText(bytes, { fatalUtf8: true }));
    expect(fatal.text).toBe("a");
    expect(fatal.errors[0]?.error.code).toBe("invalid-utf8");
    expect(fatal.finish?.reason).toBe("error");
  });
});
