import { describe, expect, test } from "vitest";
import { AutoDecoder } from "../../adapters/internal/auto_decoder.ts";
import {
  autoProvider,
  type Provider,
  type ProviderInput,
  type ProviderName,
  resolveProvider,
} from "../../adapters/provider.ts";
import { providers } from "../../adapters/providers/mod.ts";
import { type Collected, collectParts, type Part } from "../../mod.ts";

function run(
  inputs: readonly ProviderInput[],
  stage = autoProvider(),
): Collected & { parts: Part[] } {
  const parts: Part[] = [];
  const emit = (part: Part): void => {
    parts.push(part);
  };
  for (const input of inputs) stage.push(input, emit);
  stage.end(emit);
  return { ...collectParts(parts), parts };
}

const chat: ProviderInput = {
  data:
    '{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}',
};

describe("resolveProvider", () => {
  test("by name, every one, and auto", () => {
    const names: ProviderName[] = [
      "anthropic",
      "bedrock-converse",
      "claude-code",
      "codex",
      "cohere",
      "gemini",
      "gemini-cli",
      "google-interactions",
      "ollama",
      "openai-chat",
      "openai-responses",
      "opencode",
      "parts",
    ];
    for (const name of names) expect(resolveProvider(name).name).toBe(name);
    expect(providers.map((one) => one.name).sort()).toEqual(names);
    expect(resolveProvider("auto").transport).toBe("any");
  });

  test("a provider of one's own is itself", () => {
    const own: Provider = {
      name: "own",
      transport: "jsonl",
      detect: () => false,
      create: () => autoProvider(),
    };
    expect(resolveProvider(own)).toBe(own);
  });

  test("an unknown name says which there are", () => {
    expect(() => resolveProvider("opanai" as ProviderName)).toThrow(
      /no provider "opanai", only auto, anthropic/,
    );
  });
});

describe("autoProvider", () => {
  test("decides on the first event that is one", () => {
    const got = run([
      { data: ": keep-alive" },
      { data: "" },
      { data: "[DONE]" },
      chat,
    ]);
    expect(got.parts).toEqual([
      { type: "text", text: "a", start: 0 },
      { type: "finish", reason: "stop", rawReason: "stop", complete: true },
    ]);
  });

  test("what nobody knows passes as raw with one warning, and it goes on looking", () => {
    const got = run([
      { data: '{"hello":1}' },
      { data: "noise" },
      { data: "[]" },
      chat,
    ]);
    expect(got.warnings.map((one) => one.code)).toEqual(["unknown-provider"]);
    expect(
      got.parts.filter((part) => part.type === "raw").map((part) => part.value),
    ).toEqual([{ hello: 1 }, "noise", []]);
    expect(got.text).toBe("a");
  });

  test("a stream that nobody knows ends honestly", () => {
    expect(run([]).parts).toEqual([
      { type: "finish", reason: "unknown", complete: false },
    ]);
    expect(
      run([{ data: '{"hello":1}' }], autoProvider({ raw: "none" })).parts
        .length,
    ).toBe(2);
  });

  test("an error of the provider, or of the transport, as the first event", () => {
    const got = run([{ data: '{"error":{"message":"no","code":"c"}}' }]);
    expect(got.errors[0]!.error).toMatchObject({ message: "no", code: "c" });
    expect(got.finish).toMatchObject({ reason: "error", complete: false });
    for (
      const [name, reason] of [["E", "error"], ["AbortError", "cancelled"]]
    ) {
      const broken = run([{ data: "", error: { name: name!, message: "m" } }]);
      expect(broken.errors.length).toBe(1);
      expect(broken.finish).toMatchObject({ reason, complete: false });
    }
  });

  test("events in an array count by the first", () => {
    expect(run([{ data: `[${chat.data}]` }]).text).toBe("a");
  });

  test("goes on from a snapshot, before and after it has decided", () => {
    const inputs: ProviderInput[] = [{ data: '{"x":1}' }, chat, chat];
    const expected = run(inputs).parts;
    for (let at = 0; at <= inputs.length; at++) {
      const parts: Part[] = [];
      const emit = (part: Part): void => {
        parts.push(part);
      };
      const first = autoProvider();
      for (const input of inputs.slice(0, at)) first.push(input, emit);
      const second = autoProvider(
        {},
        JSON.parse(JSON.stringify(first.snapshot())),
      );
      for (const input of inputs.slice(at)) second.push(input, emit);
      second.end(emit);
      expect(parts).toEqual(expected);
    }
  });

  test("a foreign snapshot is refused", () => {
    expect(() => autoProvider({}, { millrace: 1, stage: "other", state: {} }))
      .toThrow(TypeError);
    const snapshot = autoProvider().snapshot() as { state: object };
    expect(() =>
      autoProvider({}, {
        ...snapshot,
        state: { ...snapshot.state, provider: "gone" },
      })
    ).toThrow(/not as it was made/);
    const gone = new AutoDecoder(
      [{ ...resolveProvider("openai-chat"), name: "gone" }],
      {},
    );
    gone.push(chat, () => {});
    expect(() => autoProvider({}, gone.snapshot())).toThrow(
      /no provider "gone"/,
    );
    expect(() => resolveProvider("ollama").create({}, snapshot)).toThrow(
      TypeError,
    );
  });
});
