/**
 * What other packages make of the same inputs: `npm run test:peers` installs them
 * into a temporary folder and prints the tables of docs/comparison.md. Needs the
 * npm registry.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { fromSSE } from "../../adapters/sse.ts";
import { collect, collectParts, parse, standardPipeline } from "../../mod.ts";
import { salvageTable } from "./salvage_peers.ts";

const packages = [
  "ai@6.0.326",
  "@ai-sdk-tool/parser@4.1.26",
  "@langchain/core@1.4.0",
  "llm-exe@3.0.4",
  "streaming-markdown@0.2.15",
  "eventsource-parser@3.1.1",
];

const folder = mkdtempSync(join(tmpdir(), "millrace-peers-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, "package.json"), '{"type":"module"}');
console.error(`Installing ${packages.join(", ")}`);
execFileSync("npm", ["install", "--no-audit", "--no-fund", ...packages], {
  cwd: folder,
  stdio: ["ignore", "ignore", "inherit"],
});
const require = createRequire(join(folder, "index.js"));

/** A package's module, from the folder. Its types are not there. */
// deno-lint-ignore no-explicit-any
function load(name: string): Promise<any> {
  // As an import would find it: the packages are modules.
  const resolver = `console.log(import.meta.resolve(${JSON.stringify(name)}))`;
  const url = execFileSync(process.execPath, [
    "--input-type=module",
    "-e",
    resolver,
  ], { cwd: folder, encoding: "utf8" }).trim();
  return import(url.startsWith("file:") ? url : pathToFileURL(url).href);
}

function versionOf(name: string): string {
  const path = join(folder, "node_modules", name, "package.json");
  return JSON.parse(readFileSync(path, "utf8")).version;
}

const ai = await load("ai");
const aiTest = await load("ai/test");
const toolParser = await load("@ai-sdk-tool/parser");
const langchain = await load("@langchain/core/output_parsers");
const llmExe = require("llm-exe");
const streamingMarkdown = await load("streaming-markdown");
const eventSource = await load("eventsource-parser");

interface Answer {
  text: string;
  reasoning: string;
  calls: string[];
}

/** A model's answer through the AI SDK and a middleware. */
async function throughSdk(
  chunks: string[],
  middleware: unknown,
): Promise<Answer> {
  const model = new aiTest.MockLanguageModelV3({
    doStream: () =>
      Promise.resolve({
        stream: ai.simulateReadableStream({
          chunks: [
            { type: "stream-start", warnings: [] },
            { type: "text-start", id: "1" },
            ...chunks.map((delta) => ({ type: "text-delta", id: "1", delta })),
            { type: "text-end", id: "1" },
            {
              type: "finish",
              finishReason: { unified: "stop", raw: "stop" },
              usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
            },
          ],
        }),
      }),
  });
  const { fullStream } = ai.streamText({
    model: ai.wrapLanguageModel({ model, middleware }),
    prompt: "x",
    tools: {
      read: ai.tool({
        inputSchema: ai.jsonSchema({
          type: "object",
          properties: { path: { type: "string" } },
        }),
      }),
    },
    onError() {},
  });
  const answer: Answer = { text: "", reasoning: "", calls: [] };
  for await (const part of fullStream) {
    if (part.type === "text-delta") answer.text += part.text;
    else if (part.type === "reasoning-delta") answer.reasoning += part.text;
    else if (part.type === "tool-call") answer.calls.push(part.toolName);
  }
  return answer;
}

function throughMillrace(chunks: string[]): Answer {
  const { text, reasoning, toolCalls } = collectParts(parse(
    chunks,
    standardPipeline({
      tools: [{
        name: "read",
        inputSchema: {
          type: "object",
          properties: { path: { type: "string" } },
        },
      }],
      directiveOptions: { reasoning: true },
    }),
  ));
  return { text, reasoning, calls: toolCalls.map(({ toolName }) => toolName) };
}

const reasoning = () => ai.extractReasoningMiddleware({ tagName: "think" });
const hermes =
  '<tool_call>{"name":"read","arguments":{"path":"a"}}</tool_call>';
const tagged = "<read><path>a</path></read>";
const coder =
  "<tool_call>\n<function=read>\n<parameter=path>\na\n</parameter>\n</function>\n</tool_call>";
const wrapped =
  '<function_calls>\n<invoke name="read">\n<parameter name="path">a</parameter>\n</invoke>\n</function_calls>';
const fenced = (call: string) => `See:\n\`\`\`\n${call}\n\`\`\`\nEnd`;

/** Tries every tool-call middleware; says which fail. */
async function everyMiddleware(
  input: (call: string) => string,
  isRight: (answer: Answer, input: string) => boolean,
): Promise<string> {
  const wrong: string[] = [];
  // The dialects of which it has a middleware for the AI SDK.
  for (
    const [name, call] of [
      ["hermes", hermes],
      ["morphXml", tagged],
      ["qwen3Coder", coder],
    ] as const
  ) {
    const text = input(call);
    const middleware = toolParser[`${name}ToolMiddleware`];
    const answer = await throughSdk([text], middleware);
    if (!isRight(answer, text)) {
      wrong.push(
        answer.calls.length > 0
          ? `${name} calls "${answer.calls.join()}"`
          : `${name} loses text`,
      );
    }
  }
  return wrong.length === 0 ? "yes" : `no: ${wrong.join(", ")}`;
}

function millraceOn(
  input: (call: string) => string,
  isRight: (answer: Answer, input: string) => boolean,
): string {
  return [hermes, coder].every((call) => {
      const text = input(call);
      return isRight(throughMillrace([text]), text);
    })
    ? "yes"
    : "no";
}

const noCall = (answer: Answer, text: string) =>
  answer.calls.length === 0 && answer.text === text;
const oneCall = (answer: Answer) => answer.calls.join() === "read";

function say(right: boolean, otherwise: string): string {
  return right ? "yes" : `no: ${otherwise}`;
}

/** The code blocks that streaming-markdown sees. */
function blocksOf(text: string): string[] {
  const blocks: string[] = [];
  let inside = false;
  const parser = streamingMarkdown.parser({
    data: {},
    add_token(_: unknown, type: number) {
      inside = type === streamingMarkdown.CODE_FENCE;
      if (inside) blocks.push("");
    },
    end_token() {
      inside = false;
    },
    add_text(_: unknown, piece: string) {
      if (inside) blocks[blocks.length - 1] += piece;
    },
    set_attr() {},
  });
  for (const character of text) {
    streamingMarkdown.parser_write(parser, character);
  }
  streamingMarkdown.parser_end(parser);
  return blocks;
}

function millraceBlocks(text: string): string[] {
  return collectParts(parse(text, standardPipeline())).snippets.map((
    { content },
  ) => content);
}

function llmExeBlocks(text: string): string[] | string {
  try {
    return llmExe.createParser("markdownCodeBlocks").parse(text).map((
      { code }: { code: string },
    ) => code);
  } catch (error) {
    return (error as Error).message;
  }
}

/** Compares code blocks without the line ends around them. */
function blockRow(question: string, text: string, expected: string[]): Row[] {
  const same = (blocks: string[] | string): string =>
    typeof blocks === "string" ? `no: throws "${blocks}"` : say(
      JSON.stringify(blocks.map((one) => one.trim())) ===
        JSON.stringify(expected.map((one) => one.trim())),
      blocks.length === 0 ? "none" : JSON.stringify(blocks),
    );
  return [
    {
      question,
      who: "streaming-markdown",
      them: same(blocksOf(text)),
      us: same(millraceBlocks(text)),
    },
    {
      question,
      who: "llm-exe",
      them: same(llmExeBlocks(text)),
      us: same(millraceBlocks(text)),
    },
  ];
}

interface Row {
  question: string;
  who: string;
  them: string;
  us: string;
}

async function reasoningRow(
  question: string,
  chunks: string[],
  isRight: (answer: Answer) => boolean,
): Promise<Row> {
  const answer = await throughSdk(chunks, reasoning());
  return {
    question,
    who: "ai",
    them: say(
      isRight(answer),
      `text ${JSON.stringify(answer.text)}, reasoning ${
        JSON.stringify(answer.reasoning)
      }`,
    ),
    us: say(isRight(throughMillrace(chunks)), "wrong"),
  };
}

async function callRow(
  question: string,
  input: (call: string) => string,
  isRight: (answer: Answer, input: string) => boolean,
): Promise<Row> {
  return {
    question,
    who: "@ai-sdk-tool/parser",
    them: await everyMiddleware(input, isRight),
    us: millraceOn(input, isRight),
  };
}

async function xmlRow(): Promise<Row> {
  let them = "yes";
  try {
    await new langchain.XMLOutputParser().parse(
      "Sure: <note><a>1</a></note> done",
    );
  } catch (error) {
    them = `no: throws "${(error as Error).message.split("\n")[0]}"`;
  }
  const { directives } = collectParts(parse(
    "Sure: <note><a>1</a></note> done",
    standardPipeline({ directives: ["note"] }),
  ));
  return {
    question: "A tag with prose around it is read",
    who: "@langchain/core",
    them,
    us: say(directives[0]?.content === "<a>1</a>", "wrong"),
  };
}

async function eventRow(): Promise<Row> {
  const wire =
    'data: {"object":"chat.completion.chunk","choices":[{"index":0,' +
    '"delta":{"content":"hi"},"finish_reason":null}]}';
  let events = 0;
  eventSource.createParser({ onEvent: () => events++ }).feed(wire);
  const { text } = await collect(fromSSE(wire));
  return {
    question: "The last event counts without its blank line",
    who: "eventsource-parser",
    them: say(events === 1, "dropped, as the standard has it"),
    us: say(text === "hi", "wrong"),
  };
}

const rows: Row[] = [
  await reasoningRow(
    "A reasoning tag split over chunks is found",
    ["<th", "ink>a</thi", "nk>b"],
    ({ text, reasoning }) => text === "b" && reasoning === "a",
  ),
  await reasoningRow(
    "Text that ends like half a tag comes out",
    ["say b and <thi"],
    ({ text }) => text === "say b and <thi",
  ),
  await reasoningRow(
    "A reasoning tag in a code block is text",
    ["```xml\n<think>a</think>\n```\nEnd"],
    ({ text }) => text === "```xml\n<think>a</think>\n```\nEnd",
  ),
  await callRow(
    "A leaked call becomes a call",
    (call) => `So ${call}`,
    oneCall,
  ),
  await callRow("A call in a code block is text", fenced, noCall),
  await callRow(
    "A call of a tool that was not offered is text",
    (call) => `So ${call.replaceAll("read", "rm")}`,
    noCall,
  ),
  await callRow(
    "A call that was cut does not run, and is kept",
    (call) => call.slice(0, call.length / 2),
    noCall,
  ),
  {
    question: "Leaked `invoke` markup becomes a call",
    who: "@ai-sdk-tool/parser",
    them: (await everyMiddleware(() => wrapped, oneCall)).startsWith("no")
      ? "no: it is text"
      : "yes",
    us: say(oneCall(throughMillrace([wrapped])), "wrong"),
  },
  ...blockRow(
    "A block in a longer fence is content",
    "````md\n```js\nx\n```\n````\n",
    ["```js\nx\n```"],
  ),
  ...blockRow("A closing line may be longer", "```js\nx\n````\nafter\n", ["x"]),
  ...blockRow("A fence of tildes is a fence", "~~~js\nx\n~~~\n", ["x"]),
  ...blockRow("A fence in a list", "- a\n\n  ```js\n  x\n  ```\n", ["x"]),
  ...blockRow("A block that was cut comes out", "```js\nx\n", ["x"]),
  await xmlRow(),
  await eventRow(),
];

const names = [...new Set(rows.map(({ who }) => who))];
console.log(
  names.map((name) => `${name} ${versionOf(name)}`).join(", ") +
    `, on ${process.version}\n`,
);
const cell = (text: string): string =>
  text.replaceAll("|", "\\|").replaceAll("\n", "⏎").replaceAll("<", "&lt;");
console.log("| | package | there | millrace |\n| --- | --- | --- | --- |");
for (const { question, who, them, us } of rows) {
  console.log(
    `| ${cell(question)} | ${who} | ${
      cell(them.replaceAll("`", "\\`"))
    } | ${us} |`,
  );
}
console.log("");
for (const line of await salvageTable({ ai, aiTest, toolParser })) {
  console.log(line);
}
process.exitCode = rows.every(({ us }) => us === "yes") ? 0 : 1;
process.exit();
