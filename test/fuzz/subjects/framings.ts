import {
  decodeText,
  type DecodeTextOptions,
} from "../../../adapters/decode_text.ts";
import {
  JSONLParserStream,
  type JSONLParserStreamOptions,
  type JSONLRecord,
} from "../../../adapters/jsonl_parser.ts";
import {
  type Line,
  LineSplitterStream,
  type LineSplitterStreamOptions,
} from "../../../adapters/line_splitter.ts";
import {
  SSEParserStream,
  type SSEParserStreamOptions,
} from "../../../adapters/sse_parser.ts";
import type { Stage, StageStream } from "../../../mod.ts";
import { referenceEvents } from "../../support/sse_reference.ts";
import { recordings } from "../corpus.ts";
import type { RandomSource } from "../random_source.ts";
import { expectSame, type Subject } from "../subject.ts";
import { mutated } from "../texts.ts";
import {
  checkWire,
  type Chunk,
  type MakeWireStage,
  randomWireCase,
  smallerWireCases,
  type WireCase,
  wireCaseSize,
} from "./wire.ts";

const SSE_PIECES: readonly string[] = [
  "data: a\n",
  "data:b",
  "data",
  "data: ",
  "event: x\n",
  "event:\n",
  "id: 1\n",
  "id\n",
  "id: \u0000\n",
  "retry: 10\n",
  "retry: x\n",
  ": comment\n",
  ":\n",
  "unknown: y\n",
  "\n",
  "\n\n",
  "\r",
  "\r\n",
  "\r\n\r\n",
  ":",
  " ",
  "\ufeff",
  "\u0000",
  "é",
  "\u{1f600}",
  "\u2028",
  'data: {"a":1}\n\n',
  "data: [DONE]\n\n",
  "DATA: a\n",
  " data: a\n",
];

const JSON_PIECES: readonly string[] = [
  "{",
  "}",
  "[",
  "]",
  '"',
  "\\",
  ",",
  ":",
  "\n",
  "\r\n",
  "\r",
  "\n\n",
  " ",
  "\t",
  "null",
  "true",
  "tru",
  "-1.5e3",
  "12",
  '"a"',
  '"a\\"b"',
  '"\\u12"',
  '{"a":1}',
  '{"a":{"b":[1,2,{}]}}',
  '{"a":1}{"b":2}',
  "[1]\n",
  '{"__proto__":{"x":1}}',
  "\u001e",
  "\u001b[31m",
  "\u001b]0;t\u0007",
  "\u001b",
  "\ufeff",
  "\u0000",
  "\u2028",
  "é",
  "\u{1f600}",
  "noise",
  "// c",
];

const RECORDINGS = recordings().filter(({ body }) => body.length < 6000);

function body(
  random: RandomSource,
  pieces: readonly string[],
  lines: boolean,
): string {
  const recorded = RECORDINGS.filter(({ isLines }) => isLines === lines);
  return random.choose([
    [
      5,
      () => random.times(random.below(25), () => random.pick(pieces)).join(""),
    ],
    [
      1,
      () => mutated(random, random.pick(recorded).body.slice(0, 3000), pieces),
    ],
  ]);
}

function subject(
  name: string,
  pieces: readonly string[],
  lines: boolean,
  make: MakeWireStage,
  also?: (input: WireCase, outputs: readonly unknown[]) => void,
): Subject<WireCase> {
  return {
    name,
    make: (random) => randomWireCase(random, body(random, pieces, lines)),
    check(input) {
      const { outputs, failure } = checkWire(make, input);
      if (failure === undefined) also?.(input, outputs);
    },
    shrink: smallerWireCases,
    size: wireCaseSize,
  };
}

/** The text of a case when nothing in it is damaged. */
function textOf({ body, damage }: WireCase): string | undefined {
  return damage.length === 0 ? body : undefined;
}

function stageOf(
  stream: StageStream<Chunk, never> | StageStream<Chunk, unknown>,
): Stage<Chunk, unknown> {
  return stream.stage as Stage<Chunk, unknown>;
}

const SSE: Readonly<Record<string, SSEParserStreamOptions>> = {
  default: {},
  flush: { flushAtEnd: true },
  limited: { maxBufferSize: 24, maxLineChars: 16 },
  fatal: { fatalUtf8: true },
};

function sse(): Subject<WireCase>[] {
  return Object.entries(SSE).map(([variant, options]) =>
    subject(
      `sse/${variant}`,
      SSE_PIECES,
      false,
      (hear, snapshot) =>
        stageOf(
          new SSEParserStream({
            ...options,
            snapshot,
            onComment: (comment) => hear({ comment }),
            onRetry: (retry) => hear({ retry }),
            onWarning: hear,
          }),
        ),
      (input, outputs) => {
        const text = textOf(input);
        if (text === undefined || variant === "limited") return;
        // A lone half of a surrogate pair does not survive as bytes.
        if (input.bytes && !text.isWellFormed()) return;
        expectSame(
          "The events are those of the standard",
          outputs.map(sorted),
          referenceEvents(text, options.flushAtEnd).events.map(sorted),
        );
      },
    )
  );
}

function sorted(value: unknown): [string, unknown][] {
  return Object.entries(value as object).sort(([a], [b]) => a < b ? -1 : 1);
}

const JSONL: Readonly<Record<string, JSONLParserStreamOptions>> = {
  default: {},
  throw: { onInvalid: "throw" },
  concatenated: { concatenated: true },
  sequence: { recordSeparator: true },
  ansi: { stripAnsi: true },
  limited: { maxLineChars: 12 },
  "limited-concatenated": { maxLineChars: 12, concatenated: true },
};

function jsonl(): Subject<WireCase>[] {
  return Object.entries(JSONL).map(([variant, options]) =>
    subject(
      `jsonl/${variant}`,
      JSON_PIECES,
      true,
      (hear, snapshot) =>
        stageOf(
          new JSONLParserStream({ ...options, snapshot, onWarning: hear }),
        ),
      (input, outputs) => {
        const text = textOf(input);
        if (text === undefined || variant !== "default") return;
        if (input.bytes && !text.isWellFormed()) return;
        expectSame(
          "The values are those of the lines that are JSON",
          (outputs as JSONLRecord[]).filter((record) => record.ok)
            .map(({ value, line }) => [value, line]),
          linesThatAreJSON(text),
        );
      },
    )
  );
}

/** The plainest reading of JSON Lines. */
function linesThatAreJSON(text: string): [unknown, number][] {
  return text.replace(/^\ufeff/, "").split("\n").flatMap((line, index) => {
    try {
      return [[JSON.parse(line), index + 1] as [unknown, number]];
    } catch {
      return [];
    }
  });
}

const LINES: Readonly<Record<string, LineSplitterStreamOptions>> = {
  default: {},
  "lone-cr": { loneCR: "end" },
  limited: { maxLineChars: 4 },
};

function lines(): Subject<WireCase>[] {
  return Object.entries(LINES).map(([variant, options]) =>
    subject(
      `lines/${variant}`,
      SSE_PIECES,
      false,
      (hear, snapshot) =>
        stageOf(
          new LineSplitterStream({ ...options, snapshot, onWarning: hear }),
        ),
      (input, outputs) => {
        const text = textOf(input);
        if (text === undefined || variant === "limited") return;
        if (input.bytes && !text.isWellFormed()) return;
        const joined = (outputs as Line[]).map(({ text, ending }) =>
          text + ending
        ).join("");
        expectSame(
          "The lines with their ends are the text",
          joined,
          text,
        );
      },
    )
  );
}

const TEXT: Readonly<Record<string, DecodeTextOptions>> = {
  default: {},
  fatal: { fatal: true },
  "keep-bom": { ignoreBOM: true },
};

function text(): Subject<WireCase>[] {
  return Object.entries(TEXT).map(([variant, options]) => ({
    name: `utf8/${variant}`,
    make: (random) => {
      const input = randomWireCase(random, body(random, SSE_PIECES, false));
      input.bytes = true;
      input.damage = random.times(
        random.below(8),
        (): [number, number] => [
          random.below(100),
          random.pick([
            0x80,
            0xbf,
            0xc0,
            0xc3,
            0xe0,
            0xed,
            0xf0,
            0xf4,
            0xff,
            0x41,
          ]),
        ],
      );
      return input;
    },
    check(input) {
      const make: MakeWireStage = (hear, snapshot) =>
        joining(
          stageOf(decodeText({ ...options, snapshot, onWarning: hear })),
        );
      const { outputs, failure } = checkWire(make, input);
      if (variant === "fatal" || failure !== undefined) return;
      const whole = encoderOf(input);
      expectSame(
        "The text is that of the platform's decoder",
        outputs.join(""),
        new TextDecoder("utf-8", { ignoreBOM: options.ignoreBOM === true })
          .decode(whole),
      );
    },
    shrink: smallerWireCases,
    size: wireCaseSize,
  }));
}

function encoderOf(input: WireCase): Uint8Array {
  const whole = new TextEncoder().encode(input.body);
  for (const [at, value] of input.damage) {
    if (whole.length > 0) whole[at % whole.length] = value;
  }
  return whole;
}

/** Texts come out as they are cut; joined at the end they do not depend on it. */
function joining(stage: Stage<Chunk, unknown>): Stage<Chunk, unknown> {
  return {
    push: (chunk, emit) =>
      stage.push(chunk, (text) => {
        for (const unit of text as string) emit(unit);
      }),
    end: (emit) =>
      stage.end((text) => {
        for (const unit of text as string) emit(unit);
      }),
    snapshot: () => stage.snapshot(),
  };
}

/** The framings, each against the plainest reading of its standard. */
export function framingSubjects(): Subject<WireCase>[] {
  return [...sse(), ...jsonl(), ...lines(), ...text()];
}
