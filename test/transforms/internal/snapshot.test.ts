import { expect, test } from "vitest";
import { LineSplitterStream } from "../../../adapters/line_splitter.ts";
import { partsProvider } from "../../../adapters/parts_provider.ts";
import {
  FenceTrackerStream,
  type Part,
  SnippetExtractorStream,
  standardPipeline,
  ToolCallSalvagerStream,
} from "../../../mod.ts";
import { makeSnapshot } from "../../../transforms/internal/snapshot.ts";

interface Sealed {
  stage: string;
  state: Record<string, unknown>;
}

/** A snapshot with its state changed, sealed again. */
function forged(snapshot: unknown, change: Record<string, unknown>): unknown {
  const { stage, state } = snapshot as Sealed;
  return makeSnapshot(stage, { ...state, ...change });
}

const REFUSED = /^Cannot resume: the snapshot is /;

test("a forged snapshot is refused when it is taken", () => {
  const tracker = new FenceTrackerStream();
  for (
    const change of [
      { lines: 1 },
      { lines: [] },
      { offset: "0" },
      { offset: 0.5 },
      { offset: 1e300 },
      { held: {} },
    ]
  ) {
    const snapshot = forged(tracker.snapshot(), change);
    expect(
      () => new FenceTrackerStream({ snapshot }),
      JSON.stringify(change),
    ).toThrow(TypeError);
    expect(() => new FenceTrackerStream({ snapshot })).toThrow(REFUSED);
  }
  for (const state of ["text", null, 1]) {
    const snapshot = makeSnapshot("parts", state);
    expect(() => partsProvider.create({}, snapshot)).toThrow(/^Cannot resume/);
  }
});

test("a tracker's snapshot goes on in no other mode", () => {
  for (const [from, to] of [["loose", "tolerant"], ["tolerant", "loose"]]) {
    const first = new FenceTrackerStream({ mode: from as "loose" });
    first.stage.push("a\n~~~\nb", () => {});
    const snapshot = first.snapshot();
    expect(() => new FenceTrackerStream({ mode: to as "loose", snapshot }))
      .toThrow(/^Cannot resume: the snapshot is in phase/);
  }
});

test("in a pipeline too", () => {
  const snapshots = standardPipeline().snapshot() as unknown[];
  const snapshot = snapshots.with(1, forged(snapshots[1], { lines: 1 }));
  expect(() => standardPipeline({ snapshot: snapshot as unknown[] })).toThrow(
    REFUSED,
  );
});

test("nesting that no reader reads is refused", () => {
  const nested = JSON.parse("[".repeat(50_000) + "]".repeat(50_000));
  const snapshot = {
    ...new SnippetExtractorStream().snapshot() as object,
    state: nested,
  };
  expect(() => new SnippetExtractorStream({ snapshot })).toThrow(TypeError);
  expect(() => new SnippetExtractorStream({ snapshot })).toThrow(
    /^Cannot resume/,
  );
});

test("what shows later is told then, with its cause", () => {
  const held = forged(new FenceTrackerStream().snapshot(), {
    held: [{ type: "text", start: 0, text: "a" }, null],
  });
  let thrown: Error | undefined;
  try {
    const { stage } = new FenceTrackerStream({ snapshot: held });
    stage.push("b\n", () => {});
    stage.end(() => {});
  } catch (error) {
    thrown = error as Error;
  }
  expect(thrown).toBeInstanceOf(TypeError);
  expect(thrown!.message).toMatch(REFUSED);
  expect(thrown!.cause).toBeInstanceOf(TypeError);
});

test("errors of whoever takes the output, and of options, stay theirs", () => {
  const snapshot = new LineSplitterStream().snapshot();
  const { stage } = new LineSplitterStream({ snapshot });
  const theirs = new TypeError("theirs");
  expect(() =>
    stage.push("a\n", () => {
      throw theirs;
    })
  ).toThrow(theirs);
  expect(() => new LineSplitterStream({ snapshot: 1, maxLineChars: 0 }))
    .toThrow(RangeError);
});

test("a whole snapshot goes on with everything that was begun", () => {
  const options = {
    tools: [{ name: "read" }],
    startInside: "think",
    bare: "line-start",
  } as const;
  const first = new ToolCallSalvagerStream(options);
  const parts: Part[] = [];
  first.stage.push("a</think>\nb <tool_ca", (part) => parts.push(part));
  const snapshot = JSON.parse(JSON.stringify(first.snapshot()));
  const { stage } = new ToolCallSalvagerStream({ ...options, snapshot });
  const call = 'll>{"name":"read","arguments":{}}</tool_call>';
  stage.push(call, (part) => parts.push(part));
  stage.end((part) => parts.push(part));
  expect(parts.filter(({ type }) => type === "tool-call").length).toBe(1);
});
