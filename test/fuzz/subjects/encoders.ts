import { AnthropicEncoderStream } from "../../../adapters/encode_anthropic.ts";
import { JSONLEncoderStream } from "../../../adapters/encode_jsonl.ts";
import { OpenAIChatEncoderStream } from "../../../adapters/encode_openai_chat.ts";
import { SSEEncoderStream } from "../../../adapters/encode_sse.ts";
import { UIMessageEncoderStream } from "../../../adapters/encode_ui_message.ts";
import { partsProvider } from "../../../adapters/parts_provider.ts";
import type { Provider } from "../../../adapters/provider.ts";
import { anthropic } from "../../../adapters/providers/anthropic.ts";
import { openaiChat } from "../../../adapters/providers/openai_chat.ts";
import { SSEParserStream } from "../../../adapters/sse_parser.ts";
import { fromVscodeLm } from "../../../adapters/vscode_lm.ts";
import {
  collectParts,
  parse,
  type Part,
  type StageStream,
} from "../../../mod.ts";
import type { RandomSource } from "../random_source.ts";
import { shorterLists, smallerValues } from "../shrink.ts";
import { expectSame, expectThat, type Subject } from "../subject.ts";
import { randomText } from "../texts.ts";
import { checkDecoded } from "./providers.ts";

type MakeEncoder = (snapshot?: unknown) => StageStream<string | Part, string>;

/** Parts of an answer, in an order that makes sense, or not. */
function randomParts(random: RandomSource): Part[] {
  const parts: Part[] = [];
  const id = (): string => random.pick(["a", "b", "c", "", "__proto__"]);
  let start = 0;
  for (let times = random.below(14); times > 0; times--) {
    parts.push(random.choose<Part>([
      [4, () => {
        const text = randomText(random, "all").slice(0, 20);
        start += text.length;
        return { type: "text", text, start: start - text.length };
      }],
      [
        2,
        () => ({
          type: "reasoning",
          text: randomText(random, "all").slice(0, 9),
        }),
      ],
      [
        2,
        () => ({
          type: "tool-input-start",
          toolCallId: id(),
          toolName: "read",
        }),
      ],
      [2, () => ({
        type: "tool-input-delta",
        toolCallId: id(),
        delta: random.pick(['{"a":', "1", "}", "", "{}"]),
      })],
      [3, () => ({
        type: "tool-call",
        toolCallId: id(),
        toolName: "read",
        input: random.pick<unknown>([{}, { a: 1 }, [], "x", null, 0]),
        origin: "native",
      })],
      [
        1,
        () => ({ type: "tool-call-partial", toolCallId: id(), inputText: "{" }),
      ],
      [
        1,
        () => ({ type: "tool-result", toolCallId: id(), output: { a: [1] } }),
      ],
      [
        1,
        () => ({
          type: "tool-blocked",
          toolCallId: id(),
          toolName: "read",
          reason: "no",
        }),
      ],
      [
        1,
        () => ({
          type: "usage",
          inputTokens: random.below(9),
          outputTokens: 2,
        }),
      ],
      [1, () => ({ type: "raw", value: { a: 1 } })],
      [1, () => ({ type: "warning", code: "limit", message: "m" })],
      [0.5, () => ({
        type: "error",
        error: { name: "E", message: "m\n\nm" },
        fatal: random.chance(0.5),
      })],
      [0.3, () => ({ type: "finish", reason: "stop", complete: true })],
      [0.5, () => ({ type: "not-ours" }) as unknown as Part],
    ]));
  }
  if (random.chance(0.8)) {
    parts.push({
      type: "finish",
      reason: random.pick(["stop", "length", "tool-calls", "error", "unknown"]),
      complete: random.chance(0.7),
    });
  }
  return parts;
}

function* smallerParts(parts: Part[]): Generator<Part[]> {
  yield* shorterLists(parts);
  for (const [at, part] of parts.entries()) {
    if (!("text" in part)) continue;
    for (const text of smallerValues(part.text)) {
      yield [
        ...parts.slice(0, at),
        { ...part, text } as Part,
        ...parts.slice(at + 1),
      ];
    }
  }
}

/** An encoder; what it writes is read by `provider`, if one does. */
function encoderSubject(
  name: string,
  make: MakeEncoder,
  provider?: Provider,
): Subject<Part[]> {
  return {
    name: `encoder/${name}`,
    make: randomParts,
    check(parts) {
      const text = parse(parts, make()).join("");
      expectThat(text.isWellFormed() || name !== "openai-chat", "Half a pair");
      expectThat(
        !/[\u2028\u2029]/.test(text),
        "What some readers take for a line end is left",
      );
      let resumed = "";
      const emit = (piece: string): void => {
        resumed += piece;
      };
      let stream = make();
      for (const part of parts) {
        stream.stage.push(part, emit);
        stream = make(JSON.parse(JSON.stringify(stream.snapshot())));
      }
      stream.stage.end(emit);
      expectSame("Snapshot between every two parts", resumed, text);
      const events = name === "jsonl"
        ? text.split("\n").filter((line) => line !== "").map((data) => ({
          data,
        }))
        : parse([text], new SSEParserStream());
      for (const { data } of events) {
        if (data !== "[DONE]") JSON.parse(data);
      }
      if (provider === undefined) return;
      const decoder = provider.create({});
      const read: Part[] = [];
      for (const event of events) decoder.push(event, (one) => read.push(one));
      decoder.end((one) => read.push(one));
      if (provider !== partsProvider) checkDecoded(read);
      const over = parts.findIndex(({ type }) => type === "finish");
      const sent = collectParts(
        provider === partsProvider || over < 0 ? parts : parts.slice(0, over),
      );
      expectSame(
        "The text arrives",
        collectParts(read).text,
        sent.text,
      );
    },
    shrink: smallerParts,
    size: (parts) => JSON.stringify(parts).length,
  };
}

/** What an editor's model gives, and what it never would. */
function editorSubject(): Subject<unknown[]> {
  return {
    name: "encoder/vscode-lm",
    make: (random) =>
      random.times(random.below(12), () =>
        random.choose<unknown>([
          [4, () => ({ value: randomText(random, "all").slice(0, 12) })],
          [
            2,
            () => ({
              callId: random.pick(["a", "b", "", "__proto__"]),
              name: random.pick(["read", ""]),
              input: random.pick<unknown>([{}, { a: 1 }, '{"a":1}', "{", null]),
            }),
          ],
          [1, () => ({ mimeType: "a/b", data: [1, 2] })],
          [1, () => ({ callId: "a", content: [{ value: "x" }] })],
          [1, () => random.pick<unknown>([null, 0, "text", [], {}, true])],
          [
            1,
            () => ({ value: random.pick<unknown>([["a", "b"], 0, null, {}]) }),
          ],
        ])),
    async check(given) {
      const parts: Part[] = [];
      const stream = (async function* () {
        await Promise.resolve();
        yield* given;
      })();
      const reader = fromVscodeLm({ stream }).getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        parts.push(value);
      }
      const [finish] = parts.slice(-1);
      expectThat(finish?.type === "finish", "The last part is no finish part");
      expectThat(
        parts.filter(({ type }) => type === "finish").length === 1,
        "There is not exactly one finish part",
      );
      let offset = 0;
      for (const part of parts) {
        if (part.type !== "text") continue;
        expectThat(part.start === offset, "A text part's offset is wrong");
        offset += part.text.length;
      }
    },
    shrink: shorterLists,
    size: (given) => JSON.stringify(given).length,
  };
}

/** What writes parts, and the source that is an editor's model. */
export function encoderSubjects(): Subject[] {
  return [
    encoderSubject(
      "openai-chat",
      (snapshot) => new OpenAIChatEncoderStream({ snapshot }),
      openaiChat,
    ),
    encoderSubject(
      "anthropic",
      (snapshot) => new AnthropicEncoderStream({ snapshot }),
      anthropic,
    ),
    encoderSubject(
      "ui-message",
      (snapshot) => new UIMessageEncoderStream({ snapshot }),
    ),
    encoderSubject(
      "sse",
      (snapshot) => new SSEEncoderStream({ snapshot }),
      partsProvider,
    ),
    encoderSubject(
      "jsonl",
      (snapshot) => new JSONLEncoderStream({ snapshot }),
      partsProvider,
    ),
    editorSubject(),
  ] as unknown as Subject[];
}
