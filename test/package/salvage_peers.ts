/**
 * What `@ai-sdk-tool/parser` makes of the salvage cases: the second table that
 * `npm run test:peers` prints for docs/comparison.md.
 */
import { parse, type Part, ToolCallSalvagerStream } from "../../mod.ts";
import { checkSalvage } from "../support/cases/salvage.ts";
import {
  moreSalvageCases,
  type SalvageCase,
  salvageCases,
} from "../transforms/salvage_alphabet.ts";

/** The packages' modules; their types are not there. */
export interface SalvagePeers {
  // deno-lint-ignore no-explicit-any
  readonly ai: any;
  // deno-lint-ignore no-explicit-any
  readonly aiTest: any;
  // deno-lint-ignore no-explicit-any
  readonly toolParser: any;
}

/** Our dialect, and the middleware that is to read it. */
const MIDDLEWARES: readonly (readonly [dialect: string, name: string])[] = [
  ["hermes", "hermes"],
  ["qwen3-coder", "qwen3Coder"],
  ["minimax-m2", "qwen3Coder"],
  ["cline-xml", "morphXml"],
];

const USAGE = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const FINISH = { unified: "stop", raw: "stop" };

/** How many cases come out right, and in how many a call comes that must not. */
interface Score {
  right: number;
  wrongCalls: number;
}

function textOf({ input }: SalvageCase): string {
  return Array.isArray(input) ? input.join("") : input;
}

function toolsOf(
  { ai }: SalvagePeers,
  { options }: SalvageCase,
): Record<string, unknown> {
  const tools = (options?.["tools"] ?? []) as {
    name: string;
    inputSchema?: object;
  }[];
  return Object.fromEntries(tools.map(({ name, inputSchema }) => [
    name,
    ai.tool({ inputSchema: ai.jsonSchema(inputSchema ?? { type: "object" }) }),
  ]));
}

/** What the SDK with a middleware gives, as parts: text, then calls. */
async function through(
  peers: SalvagePeers,
  middleware: string,
  one: SalvageCase,
  chunks: string[] | undefined,
): Promise<Part[]> {
  const { ai, aiTest, toolParser } = peers;
  const text = textOf(one);
  const model = ai.wrapLanguageModel({
    model: new aiTest.MockLanguageModelV3({
      doGenerate: () =>
        Promise.resolve({
          content: [{ type: "text", text }],
          finishReason: FINISH,
          usage: USAGE,
          warnings: [],
        }),
      doStream: () =>
        Promise.resolve({
          stream: ai.simulateReadableStream({
            chunks: [
              { type: "stream-start", warnings: [] },
              { type: "text-start", id: "1" },
              ...(chunks ?? []).map((delta) => ({
                type: "text-delta",
                id: "1",
                delta,
              })),
              { type: "text-end", id: "1" },
              { type: "finish", finishReason: FINISH, usage: USAGE },
            ],
          }),
        }),
    }),
    middleware: toolParser[`${middleware}ToolMiddleware`],
  });
  const settings = {
    model,
    prompt: "x",
    tools: toolsOf(peers, one),
    maxRetries: 0,
    onError() {},
  };
  let left = "";
  const calls: { toolName: string; input: unknown; invalid?: boolean }[] = [];
  if (chunks === undefined) {
    const result = await ai.generateText(settings);
    left = result.text;
    calls.push(...result.toolCalls);
  } else {
    for await (const part of ai.streamText(settings).fullStream) {
      if (part.type === "text-delta") left += part.text;
      else if (part.type === "tool-call") calls.push(part);
    }
  }
  return [
    { type: "text", text: left, start: 0 },
    // The SDK does not run a call of a tool that it does not know.
    ...calls.filter(({ invalid }) => invalid !== true).map((
      { toolName, input },
    ) => ({
      type: "tool-call" as const,
      toolCallId: "1",
      toolName,
      input,
      origin: "native" as const,
    })),
  ];
}

/** Whether parts are what a case expects. Nobody else has warnings. */
function isRight(parts: Part[], one: SalvageCase): boolean {
  const { incomplete: _, ...expected } = one.expect;
  return checkSalvage(parts, textOf(one), expected) === undefined;
}

/** A case in which no call is right. */
function isNegative({ expect }: SalvageCase): boolean {
  return Array.isArray(expect["calls"]) && expect["calls"].length === 0;
}

async function scoreOf(
  cases: readonly SalvageCase[],
  answer: (one: SalvageCase) => Promise<Part[]> | Part[],
): Promise<Score> {
  const score: Score = { right: 0, wrongCalls: 0 };
  for (const one of cases) {
    let parts: Part[] = [];
    try {
      parts = await answer(one);
      if (isRight(parts, one)) score.right++;
    } catch {
      // An answer that is lost is not right.
    }
    if (isNegative(one) && parts.some(({ type }) => type === "tool-call")) {
      score.wrongCalls++;
    }
  }
  return score;
}

/** The cases of one dialect about whose answer there is no doubt. */
function casesOf(dialect: string, all: readonly SalvageCase[]): SalvageCase[] {
  return all.filter((one) => {
    const { doubt, level } = one as { doubt?: boolean; level?: string };
    const dialects = one.options?.["dialects"];
    return Array.isArray(dialects) && dialects.length === 1 &&
      dialects[0] === dialect && doubt !== true && level !== "opinion" &&
      (typeof one.input === "string" || Array.isArray(one.input));
  });
}

/** The table, as lines of Markdown. */
export async function salvageTable(peers: SalvagePeers): Promise<string[]> {
  const lines = [
    "| dialect | cases | of them without a call | there: whole | there: 20 a chunk | there: 1 a chunk | there: wrong calls | millrace | millrace: wrong calls |",
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
  ];
  const sets = {
    reported: salvageCases(),
    own: moreSalvageCases(),
  };
  for (const [set, all] of Object.entries(sets)) {
    for (const [dialect, middleware] of MIDDLEWARES) {
      const cases = casesOf(dialect, all);
      const scores = [];
      for (const size of [undefined, 20, 1]) {
        scores.push(
          await scoreOf(
            cases,
            (one) =>
              through(
                peers,
                middleware,
                one,
                size === undefined ? undefined : cut(textOf(one), size),
              ),
          ),
        );
      }
      let ours = cases.length;
      let ourWrongCalls = 0;
      for (const size of [Infinity, 20, 1]) {
        const score = await scoreOf(cases, (one) =>
          parse(
            cut(textOf(one), size),
            new ToolCallSalvagerStream(one.options),
          ));
        ours = Math.min(ours, score.right);
        ourWrongCalls = Math.max(ourWrongCalls, score.wrongCalls);
      }
      const cells = [
        `${dialect}, ${set}`,
        cases.length,
        cases.filter(isNegative).length,
        ...scores.map(({ right }) => right),
        Math.max(...scores.map(({ wrongCalls }) => wrongCalls)),
        ours,
        ourWrongCalls,
      ];
      lines.push(`| ${cells.join(" | ")} |`);
    }
  }
  return lines;
}

function cut(text: string, size: number): string[] {
  if (size === Infinity) return [text];
  const chunks: string[] = [];
  for (let at = 0; at < text.length; at += size) {
    chunks.push(text.slice(at, at + size));
  }
  return chunks;
}
