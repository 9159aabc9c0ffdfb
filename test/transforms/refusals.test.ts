import { describe, expect, test } from "vitest";
import {
  DirectiveExtractorStream,
  FenceSplitterStream,
  FenceTrackerStream,
  SnippetExtractorStream,
  standardPipeline,
  SurrogateSanitizerStream,
  ToolCallSalvagerStream,
} from "../../mod.ts";

// deno-lint-ignore no-explicit-any
type Make = (options: any) => unknown;

const log = { directives: ["log"] };
const tools = [{ name: "read" }];

const MAKERS: Readonly<Record<string, Make>> = {
  sanitizer: (options) => new SurrogateSanitizerStream(options),
  fence: (options) => new FenceTrackerStream(options),
  directive: (options) => new DirectiveExtractorStream({ ...log, ...options }),
  salvager: (options) => new ToolCallSalvagerStream({ tools, ...options }),
  snippet: (options) => new SnippetExtractorStream(options),
  standard: (options) => standardPipeline({ tools, ...log, ...options }),
};

/** What is thrown: an error of ours says what cannot be done, which is what is wanted. */
function refusal(make: () => unknown, wanted?: RegExp): string {
  try {
    make();
  } catch (error) {
    const { name, message } = error as Error;
    const isOurs = (name === "TypeError" || name === "RangeError") &&
      wanted?.test(message) === true;
    return isOurs ? "as wanted" : `${name}: ${message}`;
  }
  return "nothing was thrown";
}

describe("wrong options are refused in words of ours", () => {
  test("snapshots that are none, of another stage, of another version, or damaged", () => {
    for (const [name, make] of Object.entries(MAKERS)) {
      for (
        const snapshot of [null, 1, "x", true, [], {}, [1], { stage: "x" }]
      ) {
        const said = refusal(() => make({ snapshot }), /^Cannot resume: /);
        expect([name, snapshot, said]).toEqual([name, snapshot, "as wanted"]);
      }
      const good = (make({}) as { snapshot(): unknown }).snapshot();
      if (Array.isArray(good)) continue;
      const damaged = good as Record<string, unknown>;
      for (
        const snapshot of [
          { ...damaged, stage: "other" },
          { ...damaged, millrace: -1 },
          { ...damaged, check: "0" },
          { ...damaged, state: null },
          { ...damaged, state: 1 },
          { ...damaged, state: undefined },
          { ...damaged, state: { ...damaged["state"] as object, at: "x" } },
        ]
      ) {
        const said = refusal(() => make({ snapshot }), /^Cannot resume: /);
        expect([name, snapshot, said]).toEqual([name, snapshot, "as wanted"]);
      }
      expect([name, refusal(() => make({ snapshot: good }))])
        .toEqual([name, "nothing was thrown"]);
    }
  });

  test("what is no list, function or word of the choice", () => {
    const wrong: readonly (readonly [keyof typeof MAKERS, string, unknown])[] =
      [
        ["salvager", "bare", "yes"],
        ["salvager", "bare", true],
        ["salvager", "afterNativeCall", "never"],
        ["salvager", "tools", "read"],
        ["salvager", "tools", [{}]],
        ["salvager", "dialects", "all"],
        ["salvager", "leadIn", "count"],
        ["salvager", "leadIn", [1]],
        ["salvager", "reasoning", "think"],
        ["salvager", "reasoning", [1]],
        ["salvager", "startInside", 1],
        ["salvager", "generateId", "id"],
        ["salvager", "repairJson", true],
        ["directive", "reasoning", "think"],
        ["directive", "directives", "log"],
        ["snippet", "conventions", "line-before"],
        ["snippet", "toolEdits", true],
      ];
    for (const [name, option, value] of wrong) {
      const said = refusal(
        () => MAKERS[name]!({ [option]: value }),
        /^Cannot (use|salvage calls|extract directives)\b/,
      );
      expect([name, option, value, said])
        .toEqual([name, option, value, "as wanted"]);
    }
  });

  test("limits, modes and buffers", () => {
    const limits: Readonly<Record<string, readonly string[]>> = {
      fence: ["maxInfoLength", "maxDepth", "maxSpanLength"],
      directive: [
        "maxTagLength",
        "maxHeldSpan",
        "maxDepth",
        "maxContentLength",
      ],
      salvager: ["maxCandidateLength", "maxValueLength"],
      snippet: ["maxContentLength", "maxLineLength"],
    };
    for (const [name, options] of Object.entries(limits)) {
      for (const option of options) {
        for (const value of [0, -1, Number.NaN, "x"]) {
          const said = refusal(
            () => MAKERS[name]!({ [option]: value }),
            new RegExp(`^Cannot .*${option} "${value}"`),
          );
          expect([name, option, value, said])
            .toEqual([name, option, value, "as wanted"]);
        }
        expect([name, option, refusal(() => MAKERS[name]!({ [option]: 1 }))])
          .toEqual([name, option, "nothing was thrown"]);
      }
    }
    for (const name of ["fence", "directive", "snippet"]) {
      const said = refusal(
        () => MAKERS[name]!({ mode: "strict" }),
        /^Cannot .* "strict": use "commonmark"/,
      );
      expect([name, said]).toEqual([name, "as wanted"]);
      for (const mode of ["commonmark", "tolerant", "loose", undefined]) {
        expect([name, mode, refusal(() => MAKERS[name]!({ mode }))])
          .toEqual([name, mode, "nothing was thrown"]);
      }
    }
    for (const [name, make] of Object.entries(MAKERS)) {
      for (const highWaterMark of [-1, Number.NaN]) {
        const said = refusal(
          () => make({ highWaterMark }),
          /^Cannot use highWaterMark /,
        );
        expect([name, said]).toEqual([name, "as wanted"]);
      }
      expect([name, refusal(() => make({ highWaterMark: 0 }))])
        .toEqual([name, "nothing was thrown"]);
    }
    for (const maxLength of [31, 0, Number.NaN]) {
      const said = refusal(
        () => new FenceSplitterStream({ maxLength }),
        /^Cannot split into /,
      );
      expect([maxLength, said]).toEqual([maxLength, "as wanted"]);
    }
    expect(refusal(() => new FenceSplitterStream({ maxLength: 32 })))
      .toBe("nothing was thrown");
  });
});
