import { createParser } from "eventsource-parser";
import { expect, test } from "vitest";
import type { ProviderName } from "../../adapters/provider.ts";
import { resolveProvider } from "../../adapters/provider.ts";
import { SSEParserStream } from "../../adapters/sse_parser.ts";
import { least } from "../laws.ts";

function pieces(text: string, size: number): string[] {
  const made: string[] = [];
  for (let at = 0; at < text.length; at += size) {
    made.push(text.slice(at, at + size));
  }
  return made;
}

function sse(events: readonly unknown[], lineEnd: string): string {
  return events.map((event) =>
    `data: ${JSON.stringify(event)}${lineEnd}${lineEnd}`
  ).join("");
}

const words = Array.from({ length: 1000 }, (_, index) => ` word ${index % 9}`);

const wires: Readonly<Record<string, string>> = {
  "openai-chat": sse(
    words.map((content, index) => ({
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1_700_000_000 + index,
      model: "some-model-2026",
      service_tier: "default",
      system_fingerprint: "fp_1",
      choices: [{
        index: 0,
        delta: { content },
        logprobs: null,
        finish_reason: null,
      }],
    })),
    "\n",
  ) + "data: [DONE]\n\n",
  anthropic: sse(
    words.map((text) => ({
      type: "content_block_delta",
      index: 0,
      delta: { type: "text_delta", text },
    })),
    "\n",
  ),
  "openai-responses": sse(
    words.map((delta, sequence_number) => ({
      type: "response.output_text.delta",
      sequence_number,
      item_id: "msg_1",
      output_index: 0,
      content_index: 0,
      delta,
      logprobs: [],
      obfuscation: "abcdefgh",
    })),
    "\n",
  ),
  gemini: sse(
    words.map((text) => ({
      candidates: [{ content: { parts: [{ text }], role: "model" }, index: 0 }],
      usageMetadata: { promptTokenCount: 9, totalTokenCount: 9 },
      modelVersion: "some-model-2026",
      responseId: "r",
    })),
    "\r\n",
  ),
};

let events = 0;

/** What has to be done anyway: the events found, their JSON read. */
function floor(chunks: readonly string[]): void {
  const parser = createParser({
    onEvent: ({ data }) => {
      if (data !== "[DONE]" && JSON.parse(data) !== null) events++;
    },
  });
  for (const chunk of chunks) parser.feed(chunk);
}

function decode(chunks: readonly string[], name: string): void {
  const { stage } = new SSEParserStream();
  const decoder = resolveProvider(name as ProviderName).create({});
  const emit = (): void => {
    events++;
  };
  const take = (event: { data: string }): void => decoder.push(event, emit);
  for (const chunk of chunks) stage.push(chunk, take);
  stage.end(take);
  decoder.end(emit);
}

function time(work: () => void): number {
  const before = performance.now();
  work();
  return performance.now() - before;
}

function median(numbers: number[]): number {
  return numbers.sort((one, other) => one - other)[numbers.length >> 1]!;
}

/** Bun compiles beside the work, so that on a busy machine the first seconds tell little. */
const most = "Bun" in globalThis ? 8 : 3;

// Measured on Node by the time of the processor, in medians of interleaved rounds,
// it is 1.1 to 1.3 times. The limit leaves room for a busy machine, and for others.
for (const [name, wire] of Object.entries(wires)) {
  test(`${name} in network chunks of 20 characters costs little more than finding and parsing the events`, () => {
    const chunks = pieces(wire, 20);
    const ratio = (): number => {
      const ours: number[] = [];
      const floors: number[] = [];
      for (let round = 0; round < 15; round++) {
        floors.push(time(() => floor(chunks)));
        ours.push(time(() => decode(chunks, name)));
      }
      return median(ours) / median(floors);
    };
    // Until everything is compiled, which takes Bun longer than the others.
    for (let round = 0; round < 4; round++) ratio();
    expect(least(ratio)).toBeLessThan(most);
    expect(events).toBeGreaterThan(0);
  });
}
