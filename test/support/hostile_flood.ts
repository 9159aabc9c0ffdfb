/**
 * Sends floods through everything, as much as the argument says (in MB), and
 * prints how much went in and how large the heap became. Run it with a small
 * heap: what holds more than its limits does not come to the end.
 *
 *     node --max-old-space-size=64 --import tsx test/support/hostile_flood.ts 64
 */
import process from "node:process";
import { fromJSONL } from "../../adapters/jsonl.ts";
import { fromSSE } from "../../adapters/sse.ts";
import { fromText } from "../../adapters/text.ts";
import { type Part, pipeline, readParts, standardPipeline } from "../../mod.ts";

const CHUNK = 65_536;

/** Floods of text: what never ends, in every state of every stage. */
const TEXTS: readonly string[] = [
  "`",
  "<",
  "> ",
  "- a\n",
  "~~~~\n",
  "```js\nlet a;\n",
  '"',
  "\ud83d",
  "[label]: /url\n",
  "<log>",
  '<log a="b" ',
  "<think>\n",
  "<tool_call>",
  '<function_calls><invoke name="read"><parameter name="path">',
  '<tool_call>{"name":"read","arguments":{"path":"',
  "<｜DSML｜",
  "**src/a.ts**\n\n```ts\nx\n```\n",
];

/** A beginning, and what follows without an end. */
const BODIES: readonly (readonly [begin: string, fill: string])[] = [
  ["", "data: a\n"],
  ["data: ", "a"],
  ["", 'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n'],
  [
    'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{"}}]}}]}\n\n',
    'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"aaaaaaaa"}}]}}]}\n\n',
  ],
  ["", '{"a":1}\n'],
  ['{"a":"', "a"],
  ["", "\n"],
];

const bytes = Number(process.argv[2] ?? 64) * 1_000_000;
const each = bytes / (TEXTS.length + 2 * BODIES.length + 1);
let sent = 0;
let parts = 0;
let largest = 0;

function* flood(begin: string, fill: string): Generator<string> {
  const chunk = fill.repeat(Math.ceil(CHUNK / fill.length));
  yield begin;
  for (let length = 0; length < each; length += chunk.length) {
    sent += chunk.length;
    largest = Math.max(largest, process.memoryUsage().heapUsed);
    yield chunk;
  }
}

async function drain(source: AsyncIterable<Part>): Promise<void> {
  for await (const _part of source) parts++;
}

function stages() {
  return standardPipeline({
    tools: [{
      name: "read",
      inputSchema: { properties: { path: { type: "string" } } },
    }],
    toolCalls: { bare: "line-start" },
    directives: ["log", "think"],
    snippets: { guess: true },
  });
}

for (const fill of TEXTS) await drain(readParts(flood("a ", fill), stages()));
const limits = { maxArgumentChars: 4_194_304, raw: "none" } as const;
for (const [begin, fill] of BODIES) {
  await drain(
    readParts(
      fromSSE(flood(begin, fill), { ...limits, maxEventChars: 4_194_304 }),
      pipeline(stages()),
    ),
  );
  await drain(
    readParts(
      fromJSONL(flood(begin, fill), { ...limits, maxLineChars: 4_194_304 }),
      stages(),
    ),
  );
}
await drain(readParts(fromText(flood("", "é< ` ")), stages()));
console.log(JSON.stringify({ sent, parts, largest }));
