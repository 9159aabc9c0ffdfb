import { chunked, makeCorpus } from "../corpus.ts";
import { measure } from "../measure.ts";
import { fused, type PartStream, pushed } from "../subjects.ts";
import type { Figure, Run, Table } from "../table.ts";

const LENGTH = 4_000;

/** Texts of any length, each with something that stays open or comes again and again. */
const inputs: Readonly<Record<string, (length: number) => string>> = {
  "plain": (length) => makeCorpus(length),
  "one line": (length) => repeated("a long line goes on ", length),
  "open fence": (length) =>
    "```ts\n" + repeated("const a = 1;\n  b < c;\n", length),
  "open directive": (length) =>
    "<note>" + repeated("a text, a < b, `c`\n", length),
  "open call": (length) =>
    '<function_calls>\n<invoke name="read_file">\n<parameter name="path">' +
    repeated("a/b <c> `d`\n", length),
  "open JSON call": (length) =>
    '<tool_call>{"name": "read_file", "arguments": {"path": "' +
    repeated("a/b <c> `d` \\n", length),
  "open tick": (length) => "`" + repeated("not closed <note> at all ", length),
  "<": (length) => "<".repeat(length),
  "`": (length) => "`".repeat(length),
  "` a": (length) => repeated("` a", length),
  "line ends": (length) => "\n".repeat(length),
  "- ": (length) => repeated("- ", length),
  "> ": (length) => repeated("> ", length),
  "- a": (length) => repeated("- a\n", length),
  "openers of fences": (length) => repeated("```\n~~~\n", length),
  "<note>": (length) => repeated("<note>", length),
  "<tool_call>": (length) => repeated("<tool_call>", length),
  "<invoke": (length) => repeated('<invoke name="read_file">', length),
  "[TOOL_CALLS]": (length) => repeated("[TOOL_CALLS]", length),
  "{": (length) => "{".repeat(length),
  "quotes": (length) => repeated('"', length),
};

function repeated(piece: string, length: number): string {
  return piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
}

/** Time a character of long messages over that of short ones: quadratic shows as the factor itself. */
export async function growth({ quick, runtime }: Run): Promise<Table[]> {
  const tables: Table[] = [];
  for (const factor of quick ? [100] : [10, 100, 500]) {
    const figures: Figure[] = [];
    for (const [name, make] of Object.entries(inputs)) {
      const short = chunked(make(LENGTH), 20);
      const long = chunked(make(LENGTH * factor), 20);
      // As many characters in both, and no streams to make.
      let made: PartStream[] = [];
      const times = await measure({
        short: () => {
          for (const stream of made) pushed(short, stream);
        },
        long: () => pushed(long, made[0]!),
      }, {
        units: LENGTH * factor,
        prepare: (name) => {
          const length = name === "short" ? factor : 1;
          made = Array.from({ length }, fused);
        },
        rounds: quick ? 1 : factor > 100 ? 3 : 7,
        warmUp: 1,
      });
      const { median, lower, upper } = times.ratio("long", "short");
      figures.push({
        name,
        value: median,
        note: `${lower.toFixed(2)}–${upper.toFixed(2)}  ${
          times.of("long").median.toFixed(0)
        } ns a character`,
        ...(factor === 100 ? { gate: 4, target: 1.5 } : {}),
      });
    }
    tables.push({
      id: `growth-${factor}`,
      title: `Messages ${factor} times as long`,
      unit: `time a character ÷ that at ${LENGTH} characters`,
      about:
        `${runtime}, five stages by push, chunks of 20 characters: npm run bench -- --only growth`,
      figures,
    });
  }
  return tables;
}
