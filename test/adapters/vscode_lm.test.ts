/// <reference types="vscode" />
import * as fc from "fast-check";
import process from "node:process";
import type * as vscode from "vscode";
import { describe, expect, test } from "vitest";
import {
  type CancellationTokenLike,
  fromVscodeLm,
  type FromVscodeLmOptions,
  signalFromToken,
  tokenFromSignal,
} from "../../adapters/vscode_lm.ts";
import { collect, type Collected, type Part } from "../../mod.ts";

/** A response that keeps count of what is done to it. */
class FakeResponse {
  pulled = 0;
  returned = 0;
  readonly stream: AsyncIterable<unknown>;

  constructor(steps: readonly (() => unknown)[]) {
    this.stream = {
      [Symbol.asyncIterator]: () => ({
        next: async () => {
          const step = steps[this.pulled++];
          if (step === undefined) return { done: true, value: undefined };
          return { done: false, value: await step() };
        },
        return: () => {
          this.returned++;
          return Promise.resolve({ done: true, value: undefined });
        },
      }),
    };
  }

  static of(...parts: readonly unknown[]): FakeResponse {
    return new FakeResponse(parts.map((part) => () => part));
  }
}

class Token implements CancellationTokenLike {
  isCancellationRequested = false;
  readonly listeners = new Set<(event: unknown) => unknown>();
  readonly onCancellationRequested = (
    listener: (event: unknown) => unknown,
  ): { dispose(): void } => {
    this.listeners.add(listener);
    return { dispose: () => void this.listeners.delete(listener) };
  };
  cancel(): void {
    this.isCancellationRequested = true;
    for (const listener of [...this.listeners]) listener(undefined);
  }
}

const never = (): Promise<never> => new Promise(() => {});

function throwing(error: unknown): () => never {
  return () => {
    throw error;
  };
}

async function read(
  response: FakeResponse,
  options?: FromVscodeLmOptions,
): Promise<Collected & { parts: Part[] }> {
  const parts: Part[] = [];
  const [one, two] = fromVscodeLm(response, options).tee();
  const collected = collect(one);
  for await (const part of two) parts.push(part);
  return { ...await collected, parts };
}

describe("parts of the editor", () => {
  test("text, thinking, calls, results, data and unknown things, in order", async () => {
    const data = { mimeType: "cache_control", data: new Uint8Array([1]) };
    const { parts } = await read(FakeResponse.of(
      { value: "Why? ", id: "th1", metadata: undefined },
      { value: ["Because", "."] },
      { value: "a" },
      "b",
      { value: "" },
      { callId: "c1", name: "peek", input: { n: 1 } },
      { callId: "c1", content: [{ value: "seen" }] },
      data,
      { hologram: 7 },
      null,
      { value: { tsx: true } },
    ));
    expect(parts).toEqual([
      { type: "reasoning", text: "Why? " },
      { type: "reasoning", text: "Because." },
      { type: "text", text: "a", start: 0 },
      { type: "text", text: "b", start: 1 },
      {
        type: "tool-call",
        toolCallId: "c1",
        toolName: "peek",
        input: { n: 1 },
        origin: "native",
      },
      { type: "tool-result", toolCallId: "c1", output: [{ value: "seen" }] },
      { type: "raw", value: data },
      { type: "raw", value: { hologram: 7 } },
      { type: "raw", value: null },
      { type: "raw", value: { value: { tsx: true } } },
      { type: "finish", reason: "tool-calls", complete: true },
    ]);
  });

  test("metadata of thinking passes too, since it has to go back to the model", async () => {
    const part = { value: "hm", id: "t", metadata: { signature: "s" } };
    const { parts } = await read(FakeResponse.of(part));
    expect(parts.slice(0, 2)).toEqual([
      { type: "reasoning", text: "hm" },
      { type: "raw", value: part },
    ]);
  });

  test("an instance of a given class is that kind, whatever its fields", async () => {
    class Text {
      value = "plain";
      id = "looks like thinking";
    }
    class Thinking {
      value = "looks like text";
    }
    const { text, reasoning } = await read(
      FakeResponse.of(new Text(), new Thinking()),
      { classes: { text: Text, thinking: Thinking } },
    );
    expect(text).toBe("plain");
    expect(reasoning).toBe("looks like text");
  });

  test("calls: input as text, no input, no id, an id used twice", async () => {
    const { toolCalls, warnings } = await read(FakeResponse.of(
      { callId: "c", name: "f", input: '{"a":1}' },
      { callId: "c", name: "f", input: "not json" },
      { callId: "", name: "f" },
    ));
    expect(toolCalls.map((call) => [call.toolCallId, call.input])).toEqual([
      ["c", { a: 1 }],
      ["call-1", "not json"],
      ["call-2", {}],
    ]);
    expect(warnings.map((warning) => warning.code)).toEqual([
      "repaired",
      "repaired",
      "made-up-id",
    ]);
  });

  test("calls: no name is no call, and arguments under their former name", async () => {
    const got = await collect(fromVscodeLm((async function* () {
      yield { callId: "a", name: "", input: { x: 1 } };
      yield { callId: "b", name: "f", parameters: { y: 2 } };
    })()));
    expect(got.toolCalls).toMatchObject([
      { toolCallId: "b", toolName: "f", input: { y: 2 } },
    ]);
    expect(got.partialToolCalls).toMatchObject([
      { toolCallId: "a", inputText: '{"x":1}' },
    ]);
    expect(got.warnings.map(({ code }) => code)).toEqual(["malformed"]);
  });

  test("the stream alone, or the promise of a response", async () => {
    expect(
      (await collect(fromVscodeLm(FakeResponse.of({ value: "a" }).stream)))
        .text,
    ).toBe("a");
    expect(
      (await collect(
        fromVscodeLm(Promise.resolve(FakeResponse.of({ value: "a" }))),
      )).text,
    ).toBe("a");
  });

  test("something that is no response", async () => {
    expect(() => fromVscodeLm({} as never)).toThrow(TypeError);
    expect(() => fromVscodeLm(null as never)).toThrow(TypeError);
    const { finish, errors } = await collect(
      fromVscodeLm(Promise.resolve({} as never)),
    );
    expect(finish?.reason).toBe("error");
    expect(errors[0]!.error.name).toBe("TypeError");
  });
});

describe("how a response ends", () => {
  test("by itself: return() is not called", async () => {
    const response = FakeResponse.of({ value: "a" });
    const { finish } = await read(response);
    expect(finish).toEqual({ type: "finish", reason: "stop", complete: true });
    expect(response.returned).toBe(0);
  });

  test("nothing is read ahead", async () => {
    const response = FakeResponse.of({ value: "a" }, { value: "b" });
    const reader = fromVscodeLm(response).getReader();
    await Promise.resolve();
    expect(response.pulled).toBe(0);
    await reader.read();
    expect(response.pulled).toBe(1);
    await reader.cancel();
    expect(response.returned).toBe(1);
  });

  test("cancelled by the token while a step hangs", async () => {
    const response = new FakeResponse([() => ({ value: "a" }), never]);
    const token = new Token();
    const reader = fromVscodeLm(response, { token }).getReader();
    await reader.read();
    const pending = reader.read();
    token.cancel();
    expect((await pending).value).toEqual({
      type: "finish",
      reason: "cancelled",
      complete: false,
    });
    expect((await reader.read()).done).toBe(true);
    expect(response.returned).toBe(1);
    expect(token.listeners.size).toBe(0);
  });

  test("cancelled by the token between reads: return() is called at once", async () => {
    const response = FakeResponse.of({ value: "a" }, { value: "b" });
    const token = new Token();
    const reader = fromVscodeLm(response, { token }).getReader();
    await reader.read();
    token.cancel();
    await new Promise((resolve) => setTimeout(resolve));
    expect(response.returned).toBe(1);
    expect((await reader.read()).value).toMatchObject({ reason: "cancelled" });
    expect(response.pulled).toBe(1);
  });

  test("cancelled before it began", async () => {
    const token = new Token();
    token.cancel();
    const controller = new AbortController();
    controller.abort();
    for (const options of [{ token }, { signal: controller.signal }]) {
      const response = FakeResponse.of({ value: "a" });
      const { finish, text } = await read(response, options);
      expect(finish?.reason).toBe("cancelled");
      expect(text).toBe("");
      expect(response.returned).toBe(1);
    }
  });

  test("by the signal", async () => {
    const controller = new AbortController();
    const response = new FakeResponse([() => ({ value: "a" }), never]);
    const reader = fromVscodeLm(response, { signal: controller.signal })
      .getReader();
    await reader.read();
    const pending = reader.read();
    controller.abort();
    expect((await pending).value).toMatchObject({ reason: "cancelled" });
    expect(response.returned).toBe(1);
  });

  test("by the consumer: return() is called once, and nothing is waited for", async () => {
    const response = new FakeResponse([() => ({ value: "a" }), never]);
    const token = new Token();
    const reader = fromVscodeLm(response, { token }).getReader();
    await reader.read();
    const pending = reader.read();
    await reader.cancel();
    expect((await pending).done).toBe(true);
    token.cancel();
    expect(response.returned).toBe(1);
    expect(token.listeners.size).toBe(0);
  });

  test("a return() that fails or hangs does no harm", async () => {
    for (
      const end of [never, () => Promise.reject(new Error("no")), undefined]
    ) {
      const token = new Token();
      const stream = {
        [Symbol.asyncIterator]: () => ({ next: never, return: end }),
      } as AsyncIterable<unknown>;
      const pending = collect(fromVscodeLm(stream, { token }));
      token.cancel();
      expect((await pending).finish?.reason).toBe("cancelled");
    }
  });
});

describe("failures", () => {
  const failing = async (
    error: unknown,
  ): Promise<readonly [string | undefined, string | undefined]> => {
    const response = new FakeResponse([
      () => ({ value: "kept" }),
      throwing(error),
    ]);
    const got = await read(response);
    expect(got.text).toBe("kept");
    expect(got.finish?.complete).toBe(false);
    expect(response.returned).toBe(1);
    const [part] = got.errors;
    if (part !== undefined) expect(part.fatal).toBe(true);
    return [got.finish?.reason, part?.error.code];
  };
  const named = (name: string, message: string, more: object = {}): Error =>
    Object.assign(new Error(message), { name, ...more });

  test("codes of LanguageModelError", async () => {
    for (const code of ["NoPermissions", "Blocked", "NotFound"]) {
      expect(
        await failing(
          named("LanguageModelError", "Response too long.", { code }),
        ),
      ).toEqual(["error", code]);
    }
  });

  test("Copilot's messages, when no code says more", async () => {
    expect(await failing(new Error("Response got filtered."))).toEqual([
      "content-filter",
      "content-filter",
    ]);
    expect(await failing(new Error("Response too long."))).toEqual([
      "length",
      "response-too-long",
    ]);
    expect(await failing(new Error("Message exceeds token limit."))).toEqual([
      "error",
      "message-exceeds-token-limit",
    ]);
    expect(await failing(new Error("I say: Response too long."))).toEqual([
      "error",
      undefined,
    ]);
  });

  test("a wrapper gives way to its cause", async () => {
    const wrapped = named(
      "LanguageModelError",
      "check cause for more details",
      {
        code: "Unknown",
        cause: new Error("Response got filtered."),
      },
    );
    expect(await failing(wrapped)).toEqual([
      "content-filter",
      "content-filter",
    ]);
    expect(
      await failing(
        named("LanguageModelError", "x", {
          code: "",
          cause: named("LanguageModelError", "y", { code: "Blocked" }),
        }),
      ),
    ).toEqual(["error", "Blocked"]);
    const circular = named("E", "round");
    Object.assign(circular, { cause: circular });
    expect(await failing(circular)).toEqual(["error", undefined]);
  });

  test("a cancellation that comes as an error", async () => {
    for (
      const error of [
        named("Canceled", "Canceled"),
        named("AbortError", "aborted"),
        named("CancellationError", ""),
        new Error("Canceled"),
      ]
    ) expect(await failing(error)).toEqual(["cancelled", undefined]);
  });

  test("things that are no errors", async () => {
    for (const odd of [undefined, null, "text", 7, {}]) {
      expect((await failing(odd))[0]).toBe("error");
    }
  });

  test("a refused request", async () => {
    const { finish, errors } = await collect(
      fromVscodeLm(
        Promise.reject(
          named("LanguageModelError", "no", { code: "NoPermissions" }),
        ),
      ),
    );
    expect(finish?.reason).toBe("error");
    expect(errors[0]!.error).toEqual({
      name: "LanguageModelError",
      message: "no",
      code: "NoPermissions",
    });
  });

  test('onError "throw" fails the stream, after what came before', async () => {
    const response = new FakeResponse([
      () => ({ value: "kept" }),
      throwing(new Error("gone")),
    ]);
    const reader = fromVscodeLm(response, { onError: "throw" }).getReader();
    expect((await reader.read()).value).toMatchObject({ text: "kept" });
    await expect(reader.read()).rejects.toThrow("gone");
    expect(response.returned).toBe(1);
  });
});

describe("any parts at all", () => {
  test("what throws when it is looked at passes as raw, as an error it has no words", async () => {
    const hostile = new Proxy({}, {
      get() {
        throw new Error("no");
      },
      has() {
        throw new Error("no");
      },
    });
    const parts: readonly object[] = [
      hostile,
      {
        get value() {
          throw new Error("no");
        },
      },
      {
        value: ["a"],
        get metadata() {
          throw new Error("no");
        },
      },
    ];
    // Without a promise of the part: a proxy would be asked for its `then`.
    const given = (...values: readonly unknown[]): AsyncIterable<unknown> => ({
      [Symbol.asyncIterator]: () => {
        const left = [...values];
        return {
          next: () =>
            Promise.resolve({ done: left.length === 0, value: left.shift() }),
        };
      },
    });
    class Text {
      value = Object.create(null);
    }
    for (const odd of [...parts, new Text()]) {
      const seen: Part[] = [];
      for await (
        const one of fromVscodeLm(given(odd, { value: "on" }), {
          classes: { text: Text },
        })
      ) seen.push(one);
      expect(seen.map(({ type }) => type)).toEqual(["raw", "text", "finish"]);
    }
    const { errors, finish } = await collect(
      fromVscodeLm(new FakeResponse([throwing(hostile)])),
    );
    expect(errors[0]).toMatchObject({
      error: { name: "Error", message: "The language model failed" },
      fatal: true,
    });
    expect(finish).toMatchObject({ reason: "error", complete: false });
  });

  test("no throw, one finish, text conserved", async () => {
    const part = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.record({
        value: fc.oneof(fc.string(), fc.array(fc.string()), fc.jsonValue()),
        id: fc.string(),
        metadata: fc.jsonValue(),
        callId: fc.oneof(fc.string(), fc.constant(1)),
        name: fc.string(),
        input: fc.oneof(fc.json(), fc.jsonValue()),
        mimeType: fc.string(),
        content: fc.array(fc.jsonValue()),
      }, { requiredKeys: [] }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part), async (given) => {
        const { parts, text } = await read(FakeResponse.of(...given));
        expect(parts.filter((one) => one.type === "finish").length).toBe(1);
        expect(parts.at(-1)!.type).toBe("finish");
        const plain = given.filter((one) =>
          typeof one === "string" ||
          (typeof one === "object" && one !== null &&
            Object.keys(one).join() === "value" &&
            typeof (one as { value: unknown }).value === "string")
        ).map((one) =>
          typeof one === "string" ? one : (one as { value: string }).value
        ).filter((one) => one !== "");
        let at = 0;
        for (const one of plain) {
          const found = text.indexOf(one, at);
          expect(found).toBeGreaterThanOrEqual(at);
          at = found + one.length;
        }
      }),
      { numRuns: Number(process.env["FAST_CHECK_RUNS"] ?? 1000) },
    );
  }, 60_000);
});

describe("the editor's own types", () => {
  test("fit without a cast", () => {
    // Checked by the compiler; there is no editor here to run it in.
    const use = (
      editor: typeof vscode,
      model: vscode.LanguageModelChat,
      token: vscode.CancellationToken,
    ): ReadableStream<Part>[] => [
      fromVscodeLm(model.sendRequest([], {}, token), {
        token,
        classes: {
          text: editor.LanguageModelTextPart,
          toolCall: editor.LanguageModelToolCallPart,
          toolResult: editor.LanguageModelToolResultPart,
          data: editor.LanguageModelDataPart,
        },
      }),
      fromVscodeLm(
        model.sendRequest(
          [],
          {},
          tokenFromSignal(signalFromToken(token)),
        ),
      ),
    ];
    expect(typeof use).toBe("function");
  });
});

describe("tokens and signals", () => {
  test("a token's signal", () => {
    const token = new Token();
    const signal = signalFromToken(token);
    expect(signal.aborted).toBe(false);
    token.cancel();
    expect(signal.aborted).toBe(true);
    expect(token.listeners.size).toBe(0);
    expect(signalFromToken(token).aborted).toBe(true);
  });

  test("a signal's token", async () => {
    const controller = new AbortController();
    const token = tokenFromSignal(controller.signal);
    const heard: string[] = [];
    token.onCancellationRequested(() => heard.push("one"));
    token.onCancellationRequested(() => heard.push("two")).dispose();
    expect(token.isCancellationRequested).toBe(false);
    controller.abort();
    expect(token.isCancellationRequested).toBe(true);
    expect(heard).toEqual(["one"]);
    // Too late to hear it, still told.
    token.onCancellationRequested(() => heard.push("late"));
    await Promise.resolve();
    expect(heard).toEqual(["one", "late"]);
  });
});

describe("with tools offered", () => {
  const tools = [{
    name: "Read",
    inputSchema: {
      type: "object",
      properties: { file_path: { type: "string" } },
    },
  }];

  test("a call leaked as text becomes one, in its place before a native one", async () => {
    const { parts } = await read(
      FakeResponse.of(
        {
          value:
            'First <function_calls><invoke name="Read"><parameter name="file_',
        },
        { value: 'path">a</parameter></invoke></function_calls>' },
        { value: "then \ud83d" },
        { value: "\ude00" },
        { callId: "c9", name: "Bash", input: {} },
      ),
      { tools },
    );
    const seen = parts.filter((part) =>
      part.type === "text" || part.type === "tool-call"
    ).map((part) => part.type === "text" ? part.text : part.toolName);
    expect(seen.join("|").replace(/\|then/, "|then")).toMatch(
      /^First \|Read\|then (\|)?😀\|Bash$/u,
    );
  });

  test("without tools the text stays as it is", async () => {
    const text =
      '<function_calls><invoke name="Read"></invoke></function_calls>';
    expect((await read(FakeResponse.of({ value: text }), { tools: [] })).text)
      .toBe(text);
  });

  test("the consumer's cancel reaches the response through the stages", async () => {
    const response = FakeResponse.of({ value: "a" }, { value: "b" });
    const reader = fromVscodeLm(response, { tools }).getReader();
    await reader.read();
    expect(response.pulled).toBe(1);
    await reader.cancel();
    expect(response.returned).toBe(1);
  });

  test("text that was held comes out before a failure, thrown or not", async () => {
    for (const onError of ["part", "throw"] as const) {
      const response = new FakeResponse([
        () => ({ value: "held <function_calls>" }),
        throwing(new Error("gone")),
      ]);
      const parts: Part[] = [];
      let thrown: unknown;
      try {
        const stream = fromVscodeLm(response, { tools, onError });
        for await (const part of stream) parts.push(part);
      } catch (error) {
        thrown = error;
      }
      expect(
        parts.map((part) => part.type === "text" ? part.text : "").join(""),
      ).toBe("held <function_calls>");
      expect(thrown !== undefined).toBe(onError === "throw");
      expect(parts.at(-1)!.type === "finish").toBe(onError === "part");
    }
  });
});
