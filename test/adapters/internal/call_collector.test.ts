import { describe, expect, test } from "vitest";
import { CallCollector } from "../../../adapters/internal/call_collector.ts";
import type { Part } from "../../../mod.ts";

/** A collector and what it gives out, as short as can be. */
function collector(
  options: Partial<ConstructorParameters<typeof CallCollector>[0]> = {},
) {
  const given: string[] = [];
  const emit = (part: Part): void => {
    given.push(
      part.type === "tool-input-start"
        ? `start ${part.toolCallId} ${part.toolName}`
        : part.type === "tool-input-delta"
        ? `delta ${part.delta}`
        : part.type === "tool-call"
        ? `call ${part.toolCallId} ${JSON.stringify(part.input)}`
        : part.type === "tool-call-partial"
        ? `partial ${part.toolCallId} ${part.toolName} ${part.inputText}`
        : part.type === "warning"
        ? `warning ${part.code}`
        : part.type,
    );
  };
  const calls = new CallCollector({
    maxOpenCalls: 10,
    maxArgumentChars: 100,
    ...options,
  });
  const take = (): string[] => given.splice(0);
  return { calls, emit, take };
}

describe("CallCollector", () => {
  test("nothing is given out before the name is known", () => {
    const { calls, emit, take } = collector();
    const call = calls.open(emit, "k", "", "")!;
    calls.append(emit, call, "{");
    expect(take()).toEqual(["warning made-up-id"]);
    calls.setWireId(emit, call, "w");
    calls.append(emit, call, "}");
    calls.setName(emit, call, "f");
    expect(take()).toEqual(["start w f", "delta {", "delta }"]);
    calls.append(emit, call, "");
    calls.complete(emit, call);
    // It is over: once is enough.
    calls.complete(emit, call);
    calls.partial(emit, call);
    expect(take()).toEqual(["call w {}"]);
    expect(calls.find("k")).toBeUndefined();
    expect(calls.findId("w")).toBeUndefined();
    expect(calls.active).toBeUndefined();
    expect(calls.any).toBe(true);
  });

  test("an id that has been given out is not given out again", () => {
    const { calls, emit, take } = collector();
    calls.open(emit, "a", "call-1", "f");
    calls.open(emit, "b", "call-1", "g");
    calls.open(emit, "c", "", "h");
    expect(take()).toEqual([
      "start call-1 f",
      "warning repaired",
      "start call-2 g",
      "warning made-up-id",
      "start call-3 h",
    ]);
    const own = collector({ generateId: () => "mine" });
    own.calls.open(own.emit, "a", "", "f");
    own.calls.whole(own.emit, "", "g", { a: 1 });
    expect(own.take()).toEqual([
      "warning made-up-id",
      "start mine f",
      'call mine {"a":1}',
    ]);
  });

  test("what arguments may be", () => {
    for (
      const [text, expected] of [
        ["", "call w {}"],
        [" \n", "call w {}"],
        ["null", "call w {}"],
        ['{"a":1}', 'call w {"a":1}'],
        ["[1]", "call w [1]"],
        ['{}{"a":1}', 'warning repaired,call w {"a":1}'],
        ["{}[1]", "warning repaired,call w [1]"],
        ["{}null", "warning malformed,partial w f {}null"],
        ["{}1", "warning malformed,partial w f {}1"],
        ["{}{", "warning malformed,partial w f {}{"],
        ['{"a":', 'warning malformed,partial w f {"a":'],
      ]
    ) {
      const { calls, emit, take } = collector();
      const call = calls.open(emit, "k", "w", "f")!;
      calls.append(emit, call, text!);
      take();
      calls.complete(emit, call);
      expect([text, take().join()]).toEqual([text, expected]);
    }
    const { calls, emit, take } = collector();
    const free = calls.open(emit, "k", "w", "f", true)!;
    calls.append(emit, free, "{no JSON");
    take();
    calls.complete(emit, free);
    expect(take()).toEqual(['call w "{no JSON"']);
  });

  test("a call without a name is none", () => {
    const { calls, emit, take } = collector();
    const call = calls.open(emit, "k", "w", "")!;
    calls.append(emit, call, "{}");
    calls.complete(emit, call);
    expect(take()).toEqual(["warning malformed", "partial w undefined {}"]);
  });

  test("arguments in pieces: whole or not, and over their limit", () => {
    const { calls, emit, take } = collector({ maxArgumentChars: 5 });
    const call = calls.open(emit, "k", "w", "f")!;
    expect(calls.isWhole(call)).toBe(false);
    calls.append(emit, call, "[1");
    expect(calls.isWhole(call)).toBe(false);
    calls.append(emit, call, ",2]");
    expect(calls.isWhole(call)).toBe(true);
    expect(calls.textOf(call)).toBe("[1,2]");
    calls.append(emit, call, " ");
    calls.append(emit, call, " ");
    calls.refuse(emit, call);
    take();
    calls.complete(emit, call);
    expect(take()).toEqual(["partial w f [1,2]"]);
  });

  test("arguments as a value, and one that has no JSON", () => {
    const { calls, emit, take } = collector();
    const call = calls.open(emit, "k", "w", "f")!;
    calls.appendValue(emit, call, { a: 1 });
    calls.replace(emit, call, { b: 2 });
    take();
    calls.complete(emit, call);
    expect(take()).toEqual(['call w {"b":2}']);
    let deep: unknown = 1;
    for (let depth = 0; depth < 100_000; depth++) deep = [deep];
    const other = calls.open(emit, "k", "x", "f")!;
    take();
    calls.appendValue(emit, other, deep);
    calls.complete(emit, other);
    expect(take()).toEqual(["warning limit", "partial x f "]);
  });

  test("so many calls and so long names, and no more", () => {
    const { calls, emit, take } = collector({ maxOpenCalls: 2 });
    const first = calls.open(emit, "a", "a", "f")!;
    calls.open(emit, "b", "b", "");
    take();
    expect(calls.open(emit, "c", "c", "f")).toBeUndefined();
    expect(take()).toEqual(["warning limit"]);
    const long = "x".repeat(16_777_216);
    calls.setName(emit, calls.find("b")!, long);
    calls.setWireId(emit, calls.find("b")!, long);
    expect(calls.find("b")).toMatchObject({ name: "", wireId: "b" });
    calls.complete(emit, first);
    take();
    expect(calls.open(emit, "d", "d", long)).toBeUndefined();
    expect(take()).toEqual(["warning limit"]);
    expect(calls.open(emit, "d", "d", "f")).toBeDefined();
  });

  test("goes on from a snapshot", () => {
    const { calls, emit } = collector();
    const call = calls.open(emit, "k", "w", "f")!;
    calls.append(emit, call, '{"a"');
    calls.open(emit, "l", "", "g");
    const snapshot = JSON.parse(JSON.stringify(calls.snapshot()));
    const next = new CallCollector(
      { maxOpenCalls: 10, maxArgumentChars: 100 },
      snapshot,
    );
    const { emit: emitNext, take } = collector();
    expect(next.active).toMatchObject({ name: "g" });
    expect(next.findId("w")).toBe(next.find("k"));
    next.append(emitNext, next.find("k")!, ":1}");
    next.complete(emitNext, next.find("k")!);
    next.open(emitNext, "m", "w", "h");
    expect(take()).toEqual([
      "delta :1}",
      'call w {"a":1}',
      "warning repaired",
      "start call-2 h",
    ]);
  });
});
