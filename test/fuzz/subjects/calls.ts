import {
  type JSONSchema,
  parse,
  type SalvagedToolCallPart,
  ToolCallSalvagerStream,
} from "../../../mod.ts";
import { parseGemmaArguments } from "../../../transforms/internal/gemma_notation.ts";
import { parseLenientJSON } from "../../../transforms/internal/lenient_json.ts";
import { parsePythonLiteral } from "../../../transforms/internal/python_literal.ts";
import {
  CALLS,
  NAMED_CALLS,
  PIECES,
  TOOLS,
} from "../../transforms/salvage_alphabet.ts";
import type { RandomSource } from "../random_source.ts";
import { shorterTexts, smallerValues } from "../shrink.ts";
import { expectSame, expectThat, type Subject } from "../subject.ts";

/** A call with arguments of which every reader has to give the same. */
interface CallCase {
  /** Which markup. */
  markup: string;
  input: { path: string; line?: number };
  before: string;
  after: string;
  /** Lengths of prefixes, as parts of a thousand. */
  prefixes: number[];
}

const MARKUPS: Readonly<Record<string, readonly string[]>> = {
  ...CALLS,
  ...NAMED_CALLS,
};

/** Markups whose arguments are JSON. */
const JSON_MARKUPS: readonly string[] = Object.keys(MARKUPS).filter((name) =>
  MARKUPS[name]!.includes('{"path":"a"}')
);

/** Markups whose values are raw text, with what stands around a value. */
const RAW_MARKUPS: Readonly<Record<string, string>> = {
  anthropic: "",
  prefixed: "",
  "qwen3-coder": "\n",
  glm: "",
  "deepseek-dsml": "",
  "minimax-m2": "",
  "seed-oss": "\n",
  "cline-xml": "\n",
};

/** What would be markup inside a raw value. */
const MARKUP_WORDS =
  /param|invoke|function|tool|arg_|path|read|line|count|call|<\/?$/i;

function value(random: RandomSource, raw: boolean): string {
  const text = random.times(
    random.below(8),
    () => random.pick(raw ? RAW_PIECES : PIECES),
  ).join("");
  return text;
}

const RAW_PIECES: readonly string[] = PIECES.filter((piece) =>
  !MARKUP_WORDS.test(piece) && !piece.includes("\r")
);

/** A call as it is written, and what its dialect is called. */
function written({ markup, input }: CallCase): string {
  const pieces = [...MARKUPS[markup]!];
  const json = pieces.indexOf('{"path":"a"}');
  if (json >= 0) pieces[json] = JSON.stringify(input);
  else {
    const at = pieces.indexOf("a");
    const frame = RAW_MARKUPS[markup]!;
    pieces[at] = frame + input.path + frame;
  }
  return pieces.join("");
}

function callsOf(text: string): SalvagedToolCallPart[] {
  return parse(
    text,
    new ToolCallSalvagerStream({
      tools: TOOLS,
      dialects: ["auto", ...Object.keys(NAMED_CALLS).map(dialectOf)],
    }),
  ).filter((part): part is SalvagedToolCallPart =>
    part.type === "tool-call" && part.origin === "salvaged"
  );
}

/** The dialect of a named markup. */
function dialectOf(markup: string): string {
  return markup.replace(/-(?:stripped|3\.2|fence)$/, "");
}

/** Lines that may stand before a call. */
const BEFORE: readonly string[] = [
  "",
  "So:\n",
  "Let me look.\n\n",
  "- item\n\n",
];

/** What may stand behind one. */
const AFTER: readonly string[] = ["", "\n", "\n\nDone.\n"];

function roundTrip(): Subject<CallCase> {
  return {
    name: "call/round-trip",
    make(random) {
      const raw = random.chance(0.5);
      const markup = random.pick(raw ? Object.keys(RAW_MARKUPS) : JSON_MARKUPS);
      const input: CallCase["input"] = { path: value(random, raw) };
      if (!raw && random.chance(0.3)) input.line = random.below(1000);
      return {
        markup,
        input,
        before: random.pick(BEFORE),
        after: random.pick(AFTER),
        prefixes: random.times(6, () => random.below(1000)),
      };
    },
    check(input) {
      const call = written(input);
      // What has no marker of its own is the whole message.
      const alone = input.markup in NAMED_CALLS;
      const text = alone ? call : input.before + call + input.after;
      const shown = (calls: readonly SalvagedToolCallPart[]): unknown[] =>
        calls.map((one) => [one.toolName, one.input]);
      const wanted = ["read", input.input];
      const calls = callsOf(text);
      expectSame("A call is read as it is written", shown(calls), [wanted]);
      for (const thousandth of input.prefixes) {
        const length = Math.floor(text.length * thousandth / 1000);
        const found = shown(callsOf(text.slice(0, length)));
        if (found.length > 0) {
          expectSame("A cut call is none, or the whole one", found, [wanted]);
        }
      }
      for (const quote of QUOTES) {
        expectSame("A quoted call is none", shown(callsOf(quote(call))), []);
      }
    },
    *shrink(input) {
      for (const path of shorterTexts(input.input.path)) {
        yield { ...input, input: { ...input.input, path } };
      }
      if (input.input.line !== undefined) {
        yield { ...input, input: { path: input.input.path } };
      }
      yield { ...input, before: "" };
      yield { ...input, after: "" };
      for (const prefix of input.prefixes) {
        yield { ...input, prefixes: [prefix] };
      }
      yield { ...input, prefixes: [] };
    },
    size: (input) => JSON.stringify(input).length,
  };
}

const FENCE = "`".repeat(80);

const QUOTES: readonly ((call: string) => string)[] = [
  (call) => `Like so:\n\n${FENCE}\n${call}\n${FENCE}\n`,
  (call) => `${FENCE}\n${call}`,
  (call) => call.split(/\r\n|\n|\r/).map((line) => `> ${line}`).join("\n"),
  (call) => `<think>\n${call.replaceAll("</think>", "")}\n</think>\n`,
];

/** A tool's parameter with a value that fits it. */
interface TypedCase {
  schema: JSONSchema;
  value: unknown;
}

/** A schema, and a value that it takes as it is. */
function typed(random: RandomSource, depth: number): TypedCase {
  const text = (): string => {
    const made = random.times(random.below(4), () => random.pick(RAW_PIECES))
      .join("");
    // The one text that means something where null is allowed.
    return /^(?:null|None)$/.test(made) ? "" : made;
  };
  return random.choose<TypedCase>([
    [2, () => ({ schema: { type: "string" }, value: text() })],
    [1, () => ({ schema: { type: "integer" }, value: random.below(2000) - 9 })],
    [1, () => ({ schema: { type: "number" }, value: random.below(99) / 8 })],
    [1, () => ({ schema: { type: "boolean" }, value: random.chance(0.5) })],
    [0.5, () => ({ schema: { type: "null" }, value: null })],
    [0.5, () => ({ schema: { type: ["integer", "null"] }, value: null })],
    [0.5, () => ({ schema: { enum: [1, "a", null] }, value: "a" })],
    [0.5, () => ({ schema: { const: 7 }, value: 7 })],
    [0.5, () => {
      const { schema, value } = typed(random, 0);
      return { schema: { ...schema as object, nullable: true }, value };
    }],
    [depth, () => {
      const { schema, value } = typed(random, depth - 1);
      const count = random.below(3);
      return {
        schema: { type: "array", items: schema },
        value: random.times(count, () => value),
      };
    }],
    [depth, () => {
      const properties: Record<string, JSONSchema> = {};
      const object: Record<string, unknown> = {};
      for (const key of ["a", "b", "c"].slice(0, random.below(4))) {
        const { schema, value } = typed(random, depth - 1);
        properties[key] = schema;
        object[key] = value;
      }
      return { schema: { type: "object", properties }, value: object };
    }],
    [depth, () => {
      const one = typed(random, depth - 1);
      const other = { type: "boolean" };
      const key = random.pick(["anyOf", "oneOf"]);
      return {
        schema: {
          [key]: random.chance(0.5) ? [one.schema, other] : [other, one.schema],
        },
        value: one.value,
      };
    }],
    [depth / 2, () => {
      const { schema, value } = typed(random, depth - 1);
      return { schema: { allOf: [schema, {}] }, value };
    }],
  ]);
}

/** A value that fits its schema comes through every markup as it is. */
function typedSubject(): Subject<TypedCase> {
  return {
    name: "call/typed",
    make: (random) => typed(random, 2),
    check({ schema, value }) {
      const tools = [{
        name: "put",
        inputSchema: { type: "object", properties: { v: schema } },
      }];
      const json = JSON.stringify(value);
      const raw = typeof value === "string" ? value : json;
      for (
        const text of [
          `<tool_call>{"name":"put","arguments":{"v":${json}}}</tool_call>`,
          `<|python_start|>[put(v=${python(value)})]<|python_end|>`,
          '<function_calls><invoke name="put"><parameter name="v">' +
          `${raw}</parameter></invoke></function_calls>`,
          `<tool_call>\n<function=put>\n<parameter=v>\n${raw}\n</parameter>\n` +
          "</function>\n</tool_call>",
        ]
      ) {
        const calls = parse(text, new ToolCallSalvagerStream({ tools })).filter(
          (
            part,
          ): part is SalvagedToolCallPart => part.type === "tool-call",
        );
        expectSame(
          `A value that fits comes through as it is`,
          calls.map(({ input }) => input),
          [{ v: value }],
        );
        expectSame("without repairs", calls[0]!.repairs, []);
      }
    },
    *shrink({ schema, value }) {
      if (typeof value !== "string") return;
      for (const shorter of shorterTexts(value)) {
        yield { schema, value: shorter };
      }
    },
    size: ({ value }) => JSON.stringify(value).length,
  };
}

/** Values that a notation has to give back. */
function jsonValue(random: RandomSource, depth: number): unknown {
  return random.choose<unknown>([
    [
      3,
      () => random.times(random.below(4), () => random.pick(PIECES)).join(""),
    ],
    [1, () => random.below(2000) - 1000],
    [1, () => random.below(1e6) / 1000],
    [1, () => random.pick([true, false, null])],
    [
      depth,
      () => random.times(random.below(4), () => jsonValue(random, depth - 1)),
    ],
    [
      depth,
      () =>
        Object.fromEntries(
          random.times(random.below(4), () => [
            random.pick(["a", "b", "__proto__", "", "path", "é", 'a"b', "x y"]),
            jsonValue(random, depth - 1),
          ]),
        ),
    ],
  ]);
}

/** JSON that is whole, cut, or damaged. */
function lenient(): Subject<string> {
  return {
    name: "json/lenient",
    make(random) {
      const text = JSON.stringify(
        { a: jsonValue(random, 3) },
        null,
        random.pick([0, 0, 2]),
      );
      const at = random.below(text.length + 1);
      return random.choose([
        [2, () => text],
        [2, () => text.slice(0, at)],
        [3, () => text.slice(0, at) + text.slice(at + 1)],
        [
          3,
          () =>
            text.slice(0, at) +
            random.pick(['"', "'", ",", "}", "]", "\\", "\n", "//", "x", " "]) +
            text.slice(at),
        ],
      ]);
    },
    check(text) {
      const read = parseLenientJSON(text);
      let strict: unknown;
      let isStrict = true;
      try {
        strict = JSON.parse(text);
      } catch {
        isStrict = false;
      }
      if (isStrict) {
        // Numbers that would change are refused.
        if (read.ok) expectSame("Valid JSON is JSON", read.value, strict);
        else expectThat(/\d{16}|\d[eE]/.test(text), "Valid JSON is refused");
        if (read.ok) expectSame("without repairs", read.repairs, []);
      } else if (read.ok) {
        expectThat(read.repairs.length > 0, "A repair is not told");
      }
    },
    *shrink(text) {
      yield* shorterTexts(text);
    },
    size: (text) => text.length,
  };
}

/** Nothing that is cut is completed. */
function cutJSON(): Subject<unknown> {
  return {
    name: "json/cut",
    make: (random) => ({ a: jsonValue(random, 3) }),
    check(value) {
      const text = JSON.stringify(value);
      for (let length = 0; length < text.length; length++) {
        expectThat(
          !parseLenientJSON(text.slice(0, length)).ok,
          `JSON cut behind ${length} is completed`,
        );
      }
    },
    shrink: (value) => smallerValues(value),
    size: (value) => JSON.stringify(value)?.length ?? 0,
  };
}

/** A value in Python's notation. */
function python(value: unknown): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") {
    const body = JSON.stringify(value).slice(1, -1);
    return value.includes("'")
      ? `"${body}"`
      : `'${body.replaceAll('\\"', '"')}'`;
  }
  if (Array.isArray(value)) return `[${value.map(python).join(", ")}]`;
  if (typeof value === "object") {
    return `{${
      Object.entries(value as object).map(([key, one]) =>
        `${python(key)}: ${python(one)}`
      ).join(", ")
    }}`;
  }
  return String(value);
}

function pythonSubject(): Subject<unknown> {
  return {
    name: "json/python",
    make: (random) => jsonValue(random, 3),
    check(value) {
      const text = python(value);
      const read = parsePythonLiteral(text);
      expectThat(read.ok, "A Python literal is refused");
      if (read.ok) {
        expectSame("A Python literal is its value", read.value, value);
      }
      if (typeof value !== "object" && typeof value !== "string") return;
      for (let length = 0; length < text.length; length++) {
        expectThat(
          !parsePythonLiteral(text.slice(0, length)).ok,
          `A literal cut behind ${length} is completed`,
        );
      }
    },
    shrink: (value) => smallerValues(value),
    size: (value) => JSON.stringify(value)?.length ?? 0,
  };
}

const DELIMITER = '<|"|>';

/** A value in Gemma's notation. */
function gemma(value: unknown): string {
  if (typeof value === "string") return DELIMITER + value + DELIMITER;
  if (Array.isArray(value)) return `[${value.map(gemma).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    return `{${
      Object.entries(value).map(([key, one]) => `${key}:${gemma(one)}`).join(
        ",",
      )
    }}`;
  }
  return String(value);
}

/** A value whose keys are names and whose strings hold no delimiter. */
function gemmaValue(random: RandomSource, depth: number): unknown {
  const text = () =>
    random.times(random.below(3), () => random.pick(RAW_PIECES)).join("")
      .replaceAll("|", "");
  return random.choose<unknown>([
    [3, text],
    [1, () => random.below(2000) - 1000],
    [1, () => random.pick([true, false, null])],
    [
      depth,
      () => random.times(random.below(4), () => gemmaValue(random, depth - 1)),
    ],
    [
      depth,
      () =>
        Object.fromEntries(
          random.times(random.below(4), () => [
            random.pick(["a", "b", "path", "x_y"]),
            gemmaValue(random, depth - 1),
          ]),
        ),
    ],
  ]);
}

function gemmaSubject(): Subject<unknown> {
  return {
    name: "json/gemma",
    make: (random) => ({ a: gemmaValue(random, 2), b: gemmaValue(random, 2) }),
    check(value) {
      const text = gemma(value);
      const read = parseGemmaArguments(text, DELIMITER);
      expectThat(read.ok, "Gemma's notation is refused");
      if (read.ok) {
        expectSame("Gemma's notation is its value", read.value, value);
        expectSame("without repairs", read.repairs, []);
      }
      for (let length = 0; length < text.length; length++) {
        expectThat(
          !parseGemmaArguments(text.slice(0, length), DELIMITER).ok,
          `Gemma's notation cut behind ${length} is completed`,
        );
      }
    },
    shrink: (value) => smallerValues(value),
    size: (value) => JSON.stringify(value)?.length ?? 0,
  };
}

/** Calls and literals, against what was written. */
export function callSubjects(): Subject[] {
  return [
    roundTrip(),
    typedSubject(),
    lenient(),
    cutJSON(),
    pythonSubject(),
    gemmaSubject(),
  ] as unknown as Subject[];
}
