import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse, type Part, SurrogateSanitizerStream } from "../../mod.ts";
import { checkLaws, cut, RUNS } from "../laws.ts";

/** The sanitizer on the part channel, as every other stage. */
const make = (snapshot?: unknown) =>
  new SurrogateSanitizerStream({ snapshot }) as never;

/** Strings where halves are as common as letters. */
const halves = fc.array(
  fc.constantFrom("a", "\ud83d", "\ude80", "\u{1f680}", "é", "\n"),
  { maxLength: 12 },
).map((all) => all.join(""));

/** Text parts with right offsets. */
function textParts(chunks: string[]): Part[] {
  let start = 0;
  return chunks.map((text) => {
    const part: Part = { type: "text", text, start };
    start += text.length;
    return part;
  });
}

function texts(parts: (string | Part)[]): string {
  return parts.map((part) =>
    typeof part === "string" ? part : part.type === "text" ? part.text : ""
  ).join("");
}

describe("SurrogateSanitizerStream", () => {
  test("strings in any cutting become toWellFormed of the whole", () => {
    fc.assert(
      fc.property(halves, fc.array(fc.nat(12)), (text, offsets) => {
        const chunks = cut(
          text,
          offsets.map((offset) => offset % (text.length + 1)),
        );
        const output = parse(chunks, new SurrogateSanitizerStream());
        expect(output.join("")).toBe(text.toWellFormed());
        for (const chunk of output) {
          expect((chunk as string).isWellFormed()).toBe(true);
        }
      }),
      { numRuns: RUNS },
    );
  });

  test("text parts keep their offsets", () => {
    fc.assert(
      fc.property(halves, (text) => {
        const output = parse(
          textParts(text.split("")),
          new SurrogateSanitizerStream(),
        ) as Part[];
        expect(texts(output)).toBe(text.toWellFormed());
        let at = 0;
        for (const part of output) {
          if (part.type !== "text") throw new Error("not text");
          expect(part.start).toBe(at);
          at += part.text.length;
        }
      }),
      { numRuns: RUNS },
    );
  });

  test("obeys the laws", () => {
    // The kit speaks parts; strings stand for them.
    const asParts = (snapshot?: unknown) => {
      const given = snapshot as { inner: unknown; offset: number } | undefined;
      const { stage } = new SurrogateSanitizerStream({
        snapshot: given?.inner,
      });
      let offset = given?.offset ?? 0;
      return {
        snapshot: () => ({ inner: stage.snapshot(), offset }),
        stage: {
          push(input: string | Part, emit: (part: Part) => void) {
            if (typeof input !== "string") {
              return stage.push(input, emit as never);
            }
            const start = offset;
            offset += input.length;
            stage.push({ type: "text", text: input, start }, emit as never);
          },
          end: (emit: (part: Part) => void) => stage.end(emit as never),
          snapshot: () => null,
        },
      } as never;
    };
    checkLaws({
      make: asParts,
      inputs: halves,
      expected: (input) => input.toWellFormed(),
    });
  });

  test("a pair cut by a usage part is still a pair, in order", () => {
    const usage: Part = { type: "usage", inputTokens: 1 };
    const [left, right] = textParts(["a\ud83d", "\ude80b"]);
    const parts = parse([left!, usage, right!], new SurrogateSanitizerStream());
    expect(parts).toEqual([
      { type: "text", text: "a", start: 0 },
      { type: "text", text: "\u{1f680}", start: 1 },
      usage,
      { type: "text", text: "b", start: 3 },
    ]);
  });

  test("a native call between two halves releases the first", () => {
    const call: Part = {
      type: "tool-call",
      toolCallId: "1",
      toolName: "t",
      input: {},
      origin: "native",
    };
    const [left, right] = textParts(["\ud83d", "\ude80"]);
    expect(parse([left!, call, right!], new SurrogateSanitizerStream()))
      .toEqual([
        { type: "text", text: "\ufffd", start: 0 },
        call,
        { type: "text", text: "\ufffd", start: 1 },
      ]);
  });

  test("reasoning is its own channel", () => {
    const parts = parse(
      [
        { type: "reasoning", text: "\ud83d" },
        { type: "text", text: "\ude80", start: 0 },
      ],
      new SurrogateSanitizerStream(),
    );
    expect(parts).toEqual([
      { type: "reasoning", text: "\ufffd" },
      { type: "text", text: "\ufffd", start: 0 },
    ]);
  });

  test("well-formed parts pass as the same objects", () => {
    const [part] = textParts(["plain"]);
    expect(parse([part!], new SurrogateSanitizerStream())[0]).toBe(part);
  });

  test("another replacement", () => {
    expect(
      parse("a\ud83d!", new SurrogateSanitizerStream({ replacement: "?" }))
        .join(""),
    ).toBe("a?!");
    for (const replacement of ["", "ab", "\ud83d"]) {
      expect(() => new SurrogateSanitizerStream({ replacement })).toThrow(
        RangeError,
      );
    }
  });

  test("a snapshot of something else is refused", () => {
    expect(() => new SurrogateSanitizerStream({ snapshot: { stage: "other" } }))
      .toThrow(TypeError);
    expect(make).not.toThrow();
  });
});
