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

/** What is thrown: an error of ours says what cannot be done. */
function refusal(make: () => unknown): string {
  try {
    make();
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) {
      return error.message;
    }
    return `another kind of error: ${error}`;
  }
  return "nothing was thrown";
}

describe("wrong options are refused in words of ours", () => {
  test("snapshots that are none, of another stage, of another version, or damaged", () => {
    for (const [name, make] of Object.entries(MAKERS)) {
      for (
        const snapshot of [null, 1, "x", true, [], {}, [1], { stage: "x" }]
      ) {
        expect([name, snapshot, refusal(() => make({ snapshot }))])
          .toEqual([name, snapshot, expect.stringMatching(/^Cannot resume: /)]);
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
        expect([name, snapshot, refusal(() => make({ snapshot }))])
          .toEqual([name, snapshot, expect.stringMatching(/^Cannot resume: /)]);
      }
      expect([name, refusal(() => make({ snapshot: good }))])
        .toEqual([name, "nothing was thrown"]);
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
          const said = refusal(() => MAKERS[name]!({ [option]: value }));
          expect([name, option, value, said]).toEqual([
            name,
            option,
            value,
            expect.stringMatching(
              new RegExp(`^Cannot .*${option} "${value}"`),
            ),
          ]);
        }
        expect([name, option, refusal(() => MAKERS[name]!({ [option]: 1 }))])
          .toEqual([name, option, "nothing was thrown"]);
      }
    }
    for (const name of ["fence", "directive", "snippet"]) {
      expect([name, refusal(() => MAKERS[name]!({ mode: "strict" }))])
        .toEqual([
          name,
          expect.stringMatching(/^Cannot .* "strict": use "commonmark"/),
        ]);
      for (const mode of ["commonmark", "tolerant", "loose", undefined]) {
        expect([name, mode, refusal(() => MAKERS[name]!({ mode }))])
          .toEqual([name, mode, "nothing was thrown"]);
      }
    }
    for (const [name, make] of Object.entries(MAKERS)) {
      for (const highWaterMark of [-1, Number.NaN]) {
        expect([name, refusal(() => make({ highWaterMark }))]).toEqual([
          name,
          expect.stringMatching(/^Cannot use highWaterMark /),
        ]);
      }
      expect([name, refusal(() => make({ highWaterMark: 0 }))])
        .toEqual([name, "nothing was thrown"]);
    }
    for (const maxLength of [31, 0, Number.NaN]) {
      expect([
        maxLength,
        refusal(() => new FenceSplitterStream({ maxLength })),
      ]).toEqual([maxLength, expect.stringMatching(/^Cannot split into /)]);
    }
    expect(refusal(() => new FenceSplitterStream({ maxLength: 32 })))
      .toBe("nothing was thrown");
  });
});
