import { describe, expect, test } from "vitest";
import {
  type Part,
  pipeline,
  readParts,
  SurrogateSanitizerStream,
  ToolGateStream,
  type ToolPolicy,
} from "../../mod.ts";

function call(toolName: string, toolCallId: string = toolName): Part {
  return {
    type: "tool-call",
    toolCallId,
    toolName,
    input: {},
    origin: "native",
  };
}

async function gated(
  inputs: Iterable<string | Part>,
  policy: ToolPolicy,
): Promise<Part[]> {
  const parts: Part[] = [];
  for await (const part of readParts(inputs, new ToolGateStream({ policy }))) {
    parts.push(part);
  }
  return parts;
}

async function reasonOf(policy: unknown): Promise<string | undefined> {
  const [part] = await gated([call("x")], policy as ToolPolicy);
  return part!.type === "tool-blocked" ? part.reason : undefined;
}

describe("ToolGateStream", () => {
  test("blocks in place, passes the rest untouched", async () => {
    const allowed = call("read");
    const text: Part = { type: "text", text: "hi", start: 0 };
    const foreign = { type: "mine", value: 1 } as unknown as Part;
    const parts = await gated(
      [text, call("write"), foreign, allowed, text],
      (one) => one.toolName === "read",
    );
    expect(parts).toEqual([
      text,
      {
        type: "tool-blocked",
        toolCallId: "write",
        toolName: "write",
        reason: "The call is not allowed",
      },
      foreign,
      allowed,
      text,
    ]);
    expect(parts[3]).toBe(allowed);
    expect(parts[2]).toBe(foreign);
  });

  test("strings stand for text parts", async () => {
    expect(await gated(["ab", "", "c"], () => true)).toEqual([
      { type: "text", text: "ab", start: 0 },
      { type: "text", text: "c", start: 2 },
    ]);
    const part: Part = { type: "text", text: "def", start: 10 };
    expect(await gated(["ab", part, "g", "h"], () => true)).toEqual([
      { type: "text", text: "ab", start: 0 },
      part,
      { type: "text", text: "g", start: 13 },
      { type: "text", text: "h", start: 14 },
    ]);
  });

  test("a blocked salvaged call keeps its markup", async () => {
    const salvaged: Part = {
      type: "tool-call",
      toolCallId: "1",
      toolName: "x",
      input: {},
      origin: "salvaged",
      dialect: "hermes",
      raw: "<tool_call>…</tool_call>",
      start: 5,
      end: 29,
      repairs: [],
    };
    const [part] = await gated([salvaged], () => false);
    expect(part).toMatchObject({
      type: "tool-blocked",
      raw: salvaged.raw,
      start: 5,
      end: 29,
    });
  });

  test("fails closed", async () => {
    expect(await reasonOf(() => true)).toBe(undefined);
    expect(await reasonOf(() => ({ allow: true }))).toBe(undefined);
    expect(await reasonOf(() => Promise.resolve(true))).toBe(undefined);
    expect(await reasonOf(() => ({ allow: false, reason: "Not today" })))
      .toBe("Not today");
    expect(await reasonOf(() => ({ allow: false })))
      .toBe("The call is not allowed");
    for (
      const verdict of [undefined, null, 0, 1, "true", "allow", {}, [], {
        allow: "true",
      }, { allow: 1 }]
    ) {
      expect(await reasonOf(() => verdict)).toBe("The policy gave no verdict");
      expect(await reasonOf(() => Promise.resolve(verdict)))
        .toBe("The policy gave no verdict");
    }
    expect(
      await reasonOf(() => {
        throw new Error("broken");
      }),
    ).toBe("The policy failed: broken");
    expect(await reasonOf(() => Promise.reject(new Error("broken"))))
      .toBe("The policy failed: broken");
    expect(await reasonOf(() => Promise.reject())).toBe(
      "The policy failed: undefined",
    );
    expect(
      await reasonOf(() => {
        throw Object.create(null);
      }),
    ).toBe("The policy failed");
    expect(
      await reasonOf(() => ({
        then() {
          throw new Error("no promise");
        },
      })),
    ).toBe("The policy failed: no promise");
  });

  test("while a policy waits, nothing passes and the source is not read ahead", async () => {
    let pulled = 0;
    const source = new ReadableStream<Part>({
      pull(controller) {
        pulled++;
        controller.enqueue(call(`c${pulled}`));
        if (pulled === 50) controller.close();
      },
    }, { highWaterMark: 0 });
    let approve!: (verdict: boolean) => void;
    const asked: string[] = [];
    const gate = new ToolGateStream({
      policy: (one) => {
        asked.push(one.toolName);
        return asked.length > 1 ||
          new Promise<boolean>((done) => approve = done);
      },
    });
    const reader = source.pipeThrough(gate).getReader();
    let first: Part | undefined;
    const reading = reader.read().then(({ value }) => first = value);
    await new Promise((done) => setTimeout(done, 20));
    expect(first).toBe(undefined);
    expect(asked).toEqual(["c1"]);
    expect(pulled).toBeLessThanOrEqual(4);
    approve(true);
    await reading;
    expect(first!.type).toBe("tool-call");
    let count = 1;
    while (!(await reader.read()).done) count++;
    expect(count).toBe(50);
  });

  test("cancelling while a policy waits ends the source", async () => {
    let cancelled: unknown;
    const source = new ReadableStream<Part>({
      pull(controller) {
        controller.enqueue(call("x"));
      },
      cancel(reason) {
        cancelled = reason;
      },
    });
    let approve!: (verdict: boolean) => void;
    const gate = new ToolGateStream({
      policy: () => new Promise<boolean>((done) => approve = done),
    });
    const reader = source.pipeThrough(gate).getReader();
    const reading = reader.read();
    await new Promise((done) => setTimeout(done, 5));
    const closing = reader.cancel("enough");
    approve(true);
    await closing;
    expect((await reading).done).toBe(true);
    await new Promise((done) => setTimeout(done, 5));
    expect(cancelled).toBe("enough");
  });

  test("stands in a pipeline behind stages", async () => {
    const source = new ReadableStream<string | Part>({
      start(controller) {
        controller.enqueue("a");
        controller.enqueue(call("x"));
        controller.close();
      },
    });
    const parts: Part[] = [];
    const stream = source.pipeThrough(
      pipeline(
        new SurrogateSanitizerStream(),
        new ToolGateStream({ policy: () => false }),
      ),
    );
    for await (const part of stream) parts.push(part);
    expect(parts.map((part) => part.type)).toEqual(["text", "tool-blocked"]);
  });

  test("wrong use is refused", () => {
    expect(() => new ToolGateStream({} as never)).toThrow(TypeError);
    expect(() => new ToolGateStream(undefined as never)).toThrow(TypeError);
    for (const highWaterMark of [-1, NaN]) {
      expect(() => new ToolGateStream({ policy: () => true, highWaterMark }))
        .toThrow(RangeError);
    }
    expect(new ToolGateStream({ policy: () => true, highWaterMark: 0 }))
      .toBeInstanceOf(TransformStream);
  });
});
