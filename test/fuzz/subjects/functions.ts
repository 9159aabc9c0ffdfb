/** What is no stream and no stage: functions over messages, calls, names, intents. */
import {
  answerDialog,
  answerElicitation,
  answerHook,
  answerMcpMessage,
  answerPermission,
  controlRequest,
  refuseRequest,
  userMessage,
} from "../../../adapters/claude_code/mod.ts";
import {
  type AISDKPart,
  millrace,
  toTextStreamPart,
} from "../../../adapters/ai_sdk.ts";
import { resolveProvider } from "../../../adapters/provider.ts";
import {
  collect,
  collectParts,
  encodeToolCall,
  estimateTokens,
  fitToolResults,
  intentContext,
  IntentPolicy,
  isKnownExtension,
  isKnownLanguage,
  languageId,
  OverBudgetError,
  type Part,
  readParts,
  sanitizeMessages,
  type ToolCallPart,
  ToolGateStream,
  toReadableStream,
} from "../../../mod.ts";
import type { RandomSource } from "../random_source.ts";
import { shorterLists, shorterTexts, smallerValues } from "../shrink.ts";
import { expectSame, expectThat, type Subject } from "../subject.ts";
import { mutated, randomText } from "../texts.ts";
import { damaged } from "./providers.ts";
import { randomTextCase, type TextCase } from "./text_stage.ts";

/** Any JSON value with texts of the alphabets in it. */
function anyValue(random: RandomSource, depth: number): unknown {
  return random.choose<unknown>([
    [3, () => randomText(random, "all").slice(0, 30)],
    [1, () => random.pick([0, -1, 1.5, 2 ** 53, true, false, null])],
    [1, () => random.pick(["\ud800", "\udc00\ud800", "__proto__", ""])],
    [
      depth,
      () => random.times(random.below(4), () => anyValue(random, depth - 1)),
    ],
    [depth, () =>
      Object.fromEntries(
        random.times(random.below(4), () => [
          random.pick([
            "a",
            "content",
            "text",
            "arguments",
            "__proto__",
            "constructor",
            "\ud800",
          ]),
          anyValue(random, depth - 1),
        ]),
      )],
  ]);
}

interface Request {
  messages: unknown[];
  budget: number;
  minChars: number;
  keep: "head" | "tail" | "both";
  repairPairs: boolean;
}

/** Messages of every API, some of them damaged. */
function randomMessages(random: RandomSource): unknown[] {
  const id = (): string => random.pick(["a", "b", "c", "__proto__", ""]);
  const text = (): string =>
    randomText(random, "all").repeat(random.pick([1, 1, 5, 40]));
  const call = { name: "read", arguments: '{"path":"\\ud800"}' };
  // One request is of one API.
  const forms: readonly (() => unknown)[][] = [
    [
      () => ({
        role: "assistant",
        content: [
          { type: "text", text: text() },
          { type: "tool_use", id: id(), name: "read", input: { path: "a" } },
        ],
      }),
      () => ({
        role: "user",
        content: [{
          type: "tool_result",
          tool_use_id: id(),
          content: random.pick<unknown>([
            text(),
            [{ type: "text", text: text() }, {
              type: "image",
              source: { type: "base64", data: "AAAA" },
            }],
            undefined,
          ]),
        }],
      }),
    ],
    [
      () => ({
        role: "assistant",
        content: null,
        tool_calls: [{ id: id(), type: "function", function: call }],
      }),
      () => ({ role: "tool", tool_call_id: id(), content: text() }),
    ],
    [
      () => ({ type: "function_call", call_id: id(), ...call }),
      () => ({ type: "function_call_output", call_id: id(), output: text() }),
    ],
    [
      () => ({
        role: 2,
        content: [{ callId: id(), name: "read", input: {} }],
      }),
      () => ({
        role: 1,
        content: [{ callId: id(), content: [{ value: text() }] }],
      }),
    ],
  ];
  const form = random.pick(forms);
  const message = (): unknown =>
    random.choose<unknown>([
      [2, () => ({ role: random.pick(["user", "system"]), content: text() })],
      [4, () => random.pick(form)()],
      [0.5, () => anyValue(random, 2)],
    ]);
  return random.times(random.below(8), () => {
    const one = JSON.parse(JSON.stringify(message()));
    return random.chance(0.15) ? damaged(random, one, []) : one;
  });
}

/** How long texts are together: something that adds up. */
const count = (text: string): number => text.length;

function fitSubject(): Subject<Request> {
  return {
    name: "request/fit",
    make: (random) => ({
      messages: randomMessages(random),
      budget: random.pick([1, 50, 300, 2_000, 100_000]),
      minChars: random.pick([0, 1, 10, 200]),
      keep: random.pick(["head", "tail", "both"]),
      repairPairs: random.chance(0.3),
    }),
    async check({ messages, ...options }) {
      const before = JSON.stringify(messages);
      const fit = (given: readonly unknown[]) =>
        fitToolResults(given, { ...options, count });
      let fitted: Awaited<ReturnType<typeof fit>>;
      try {
        fitted = await fit(messages);
      } catch (error) {
        expectThat(
          error instanceof OverBudgetError,
          `Fitting throws ${error}`,
        );
        return;
      } finally {
        expectThat(
          JSON.stringify(messages) === before,
          "The messages given were changed",
        );
      }
      expectThat(
        fitted.total <= options.budget,
        `${fitted.total} are over the budget of ${options.budget}`,
      );
      for (const { from, to } of fitted.shortened) {
        expectThat(
          to < from && to >= Math.min(from, options.minChars),
          `A result of ${from} was shortened to ${to}`,
        );
      }
      if (!options.repairPairs) {
        expectSame(
          "No message is lost",
          fitted.messages.length,
          messages.length,
        );
      }
      const again = await fit(fitted.messages);
      expectSame("Once is enough", again.shortened, []);
      expectSame("The sum stays", again.total, fitted.total);
      expectSame("The messages stay", again.messages, fitted.messages);
    },
    *shrink(input) {
      for (const messages of smallerValues(input.messages)) {
        yield { ...input, messages: messages as unknown[] };
      }
    },
    size: ({ messages }) => JSON.stringify(messages).length,
  };
}

/** The same by recursion, but for what stands under the key `arguments`. */
function wellFormed(value: unknown, key: string): unknown {
  if (typeof value === "string") {
    return key === "arguments" ? "" : value.toWellFormed();
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => wellFormed(one, ""));
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name.toWellFormed(),
      wellFormed(one, name),
    ]),
  );
}

/** Whether two names become one. */
function hasTwins(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const names = Object.keys(value).map((name) => name.toWellFormed());
  return new Set(names).size < names.length ||
    Object.values(value).some(hasTwins);
}

function sanitizeSubject(): Subject<unknown> {
  return {
    name: "request/sanitize",
    make: (random) =>
      random.chance(0.5) ? randomMessages(random) : anyValue(random, 3),
    check(value) {
      const before = JSON.stringify(value);
      const clean = sanitizeMessages(value);
      expectSame("What is given is not changed", value, JSON.parse(before));
      expectThat(
        sanitizeMessages(clean) === clean,
        "Once is not enough",
      );
      if (hasTwins(value)) return;
      expectSame(
        "Every string is well-formed, and nothing else is changed",
        wellFormed(clean, ""),
        wellFormed(value, ""),
      );
      expectThat(
        JSON.stringify(clean).replaceAll("\\\\", "").search(/\\ud[89a-f]/) < 0,
        "Half a surrogate pair is left",
      );
    },
    shrink: smallerValues,
    size: (value) => JSON.stringify(value).length,
  };
}

/** What a policy says; the number picks a verdict for each call in turn. */
interface Gated {
  parts: TextCase;
  verdicts: number[];
}

/** What policies give, with what it means. */
const VERDICTS: readonly (readonly [make: () => unknown, allows: boolean])[] = [
  [() => true, true],
  [() => ({ allow: true }), true],
  [() => Promise.resolve(true), true],
  [() => Promise.resolve({ allow: true, reason: "x" }), true],
  [() => false, false],
  [() => ({ allow: false, reason: "no" }), false],
  [() => ({ allow: false, reason: 7 }), false],
  [() => Promise.resolve(false), false],
  [() => Promise.reject(new Error("late")), false],
  [() => {
    throw new Error("now");
  }, false],
  [() => undefined, false],
  [() => "true", false],
  [() => 1, false],
  [() => ({ allow: "true" }), false],
  [() => ({ then: 1, allow: true }), true],
  [() => Promise.resolve(null), false],
];

function gateSubject(): Subject<Gated> {
  return {
    name: "gate/verdicts",
    make: (random) => ({
      parts: randomTextCase(random, "all").flatMap((one): TextCase => [
        one,
        ...random.chance(0.5)
          ? [{
            type: "tool-call",
            toolCallId: "c",
            toolName: random.pick(["read", "__proto__", ""]),
            input: anyValue(random, 1),
            origin: "native",
          } as ToolCallPart]
          : [],
      ]),
      verdicts: random.times(8, () => random.below(VERDICTS.length)),
    }),
    async check({ parts, verdicts }) {
      let calls = 0;
      const verdict = (index: number) =>
        VERDICTS[verdicts[index % verdicts.length]!]!;
      const gate = new ToolGateStream({
        policy: () => verdict(calls++)[0]() as boolean,
      });
      const output: Part[] = [];
      for await (const part of readParts(parts, gate)) output.push(part);
      let number = 0;
      const expected = parts.filter((one) => one !== "").map((one) => {
        if (typeof one === "string") return ["text", one];
        if (one.type !== "tool-call") return one;
        return verdict(number++)[1] ? one : ["blocked", one.toolName];
      });
      expectSame(
        "A gate lets through what is allowed, in order",
        output.map((part, index) =>
          part.type === "tool-blocked" && part.reason !== ""
            ? ["blocked", part.toolName]
            : part.type === "text" && Array.isArray(expected[index])
            ? ["text", part.text]
            : part
        ),
        expected,
      );
    },
    *shrink(input) {
      for (const parts of shorterLists(input.parts)) yield { ...input, parts };
    },
    size: (input) => JSON.stringify(input).length,
  };
}

const SHAPES = [
  "anthropic",
  "openai-chat",
  "openai-responses",
  "gemini",
  "ollama",
  "ai-sdk",
] as const;

/** A call in every shape has its arguments, and JSON text where that is asked for. */
function encodeSubject(): Subject<unknown> {
  return {
    name: "call/encode",
    make: (random) => anyValue(random, 3),
    check(input) {
      const call = { toolCallId: "c", toolName: "read", input };
      for (const shape of SHAPES) {
        const made = JSON.parse(JSON.stringify(encodeToolCall(call, shape)));
        const body = made.function ?? made.functionCall ?? made;
        const given = body.arguments ?? body.args ?? body.input ?? null;
        expectSame(
          `The arguments in shape ${shape}`,
          shape.startsWith("openai") ? JSON.parse(given) : given,
          input,
        );
      }
      for (const shape of ["__proto__", "constructor", ""]) {
        let error: unknown;
        try {
          encodeToolCall(call, shape as "gemini");
        } catch (thrown) {
          error = thrown;
        }
        expectThat(error instanceof RangeError, `There is a shape "${shape}"`);
      }
    },
    shrink: smallerValues,
    size: (value) => JSON.stringify(value)?.length ?? 0,
  };
}

/** An intent's scope, and what a call wants to write. */
interface Scope {
  patterns: string[];
  path: string;
  id: string;
}

const GLOB_PIECES: readonly string[] = [
  "*",
  "**",
  "/",
  "/**",
  "**/",
  "?",
  "[a-z]",
  "[!a]",
  "[",
  "]",
  "{a,b}",
  "{",
  "}",
  ",",
  "\\",
  "!",
  ".",
  "..",
  "./",
  "a",
  "b",
  "src",
  ".git",
  "(",
  "|",
  ")",
  "+(",
  "\u0000",
];

const PATH_PIECES: readonly string[] = [
  "/",
  "/",
  "a",
  "b",
  "src",
  ".git",
  "..",
  ".",
  "\\",
  "%2e",
  "\u0000",
  "~",
  "C:",
  "é",
  " ",
];

/** Where a path leads, by the book; `undefined` when that is not below the workspace. */
function inside(path: string): string[] | undefined {
  const names: string[] = [];
  for (const name of path.split(/[\\/]/)) {
    if (name === "" || name === ".") continue;
    if (name !== "..") names.push(name);
    else if (names.pop() === undefined) return undefined;
  }
  return names.length === 0 ? undefined : names;
}

function intentSubject(): Subject<Scope> {
  return {
    name: "intent/scope",
    make: (random) => ({
      patterns: random.times(
        random.between(1, 3),
        () =>
          random.chance(0.1)
            ? random.pick(GLOB_PIECES).repeat(200)
            : random.times(random.between(1, 8), () => random.pick(GLOB_PIECES))
              .join(""),
      ),
      path: random.times(random.between(1, 8), () => random.pick(PATH_PIECES))
        .join("").repeat(random.pick([1, 1, 1, 30])),
      id: random.pick(["INT-1", "__proto__", "</id>", "\ud800", ""]),
    }),
    async check({ patterns, path, id }) {
      const intent = {
        id,
        status: "IN_PROGRESS",
        ownedScope: patterns,
        constraints: patterns,
        acceptanceCriteria: [path],
      };
      const block = intentContext(intent);
      expectSame(
        "An intent's text is text",
        block.split(/<\/?intent_context>/).length,
        3,
      );
      expectThat(block.isWellFormed(), "Half a surrogate pair is left");
      let broken: unknown;
      const intents = new IntentPolicy({
        load: () => [{ id, status: "in progress", owned_scope: patterns }],
      });
      const call = (toolName: string, input: unknown): ToolCallPart => ({
        type: "tool-call",
        toolCallId: "c",
        toolName,
        input,
        origin: "native",
      });
      const write = call("write_to_file", { path, content: "" });
      const allowed = async (one: ToolCallPart): Promise<boolean> => {
        try {
          const verdict = await intents.policy(one);
          return verdict === true ||
            (typeof verdict === "object" && verdict.allow);
        } catch (error) {
          // A list that is not as it should be: the gate blocks.
          expectThat(error instanceof TypeError, `A policy throws ${error}`);
          broken = error;
          return false;
        }
      };
      expectThat(!await allowed(write), "A call before the handshake");
      const isOpen = await allowed(
        call("select_active_intent", { intent_id: id }),
      );
      const may = await allowed(write);
      if (!isOpen || broken !== undefined) {
        expectThat(!may, "A call without a handshake");
      }
      const names = inside(path);
      if (names === undefined || /^(?:[/\\]|[A-Za-z]:)/.test(path)) {
        expectThat(!may, "A call outside of the workspace");
      }
      // Without signs a pattern is the file itself.
      if (names === undefined || path.includes("\\")) return;
      const plain = names.join("/");
      if (/[^\w./ ~é-]/.test(plain)) return;
      const exact = new IntentPolicy({
        load: () => [{ id: "I", status: "in progress", owned_scope: [plain] }],
      });
      await exact.policy(call("select_active_intent", { intent_id: "I" }));
      const other = await exact.policy(
        call("write_to_file", { path: `${plain}x`, content: "" }),
      );
      expectThat(other !== true, "A file whose name only begins so");
    },
    shrink: smallerScopes,
    size: (input) => JSON.stringify(input).length,
  };
}

function* smallerScopes(input: Scope): Generator<Scope> {
  for (const patterns of smallerValues(input.patterns)) {
    yield { ...input, patterns: patterns as string[] };
  }
  for (const path of shorterTexts(input.path)) yield { ...input, path };
}

const NAMES: readonly string[] = [
  "ts",
  "C++",
  "rust,ignore",
  "__proto__",
  "constructor",
  "toString",
  "Dockerfile",
  "a.b/c.d.ts",
  ".gitignore",
  "İ",
];

function languageSubject(): Subject<string> {
  return {
    name: "language/id",
    make: (random) =>
      random.chance(0.3)
        ? randomText(random, "all").slice(0, 40)
        : mutated(random, random.pick(NAMES)),
    check(name) {
      const id = languageId(name);
      expectThat(
        id === undefined || typeof id === "string" && id !== "",
        "No id and no text",
      );
      if (id !== undefined) expectSame("Once is enough", languageId(id), id);
      const ofPath = languageId(undefined, name);
      expectThat(
        ofPath === undefined || isKnownLanguage(ofPath),
        `A path has the unknown language ${ofPath}`,
      );
      for (const known of [isKnownLanguage(name), isKnownExtension(name)]) {
        expectThat(typeof known === "boolean", "Neither known nor unknown");
      }
      for (const inherited of ["__proto__", "constructor", "toString"]) {
        expectThat(
          !isKnownLanguage(inherited) && !isKnownExtension(inherited) &&
            languageId(undefined, `a.${inherited}`) === undefined,
          `${inherited} is a language`,
        );
      }
      const tokens = estimateTokens(name);
      expectThat(
        Number.isSafeInteger(tokens) && tokens >= 0 &&
          tokens <= 4 * name.length + 4,
        `${tokens} tokens in ${name.length} characters`,
      );
      let error: unknown;
      try {
        resolveProvider(name as "auto");
      } catch (thrown) {
        error = thrown;
      }
      expectThat(
        error === undefined || error instanceof RangeError,
        `A provider's name throws ${error}`,
      );
    },
    shrink: shorterTexts,
    size: (name) => name.length,
  };
}

/** The lines that a host writes to the command line: one line each, and JSON. */
function answerSubject(): Subject<unknown> {
  return {
    name: "claude-code/answers",
    make: (random) => anyValue(random, 2),
    check(value) {
      const object = { value };
      const request = { request_id: JSON.stringify(value), request: object };
      const lines = [
        answerPermission(request as never, {
          behavior: "allow",
          updatedInput: object,
        }),
        answerPermission(request as never, {
          behavior: "deny",
          message: request.request_id,
        }),
        answerElicitation(request as never, {
          action: "accept",
          content: object,
        } as never),
        answerDialog(request as never, object as never),
        answerHook(request as never, object),
        answerMcpMessage(request as never, object),
        refuseRequest(request as never, request.request_id),
        controlRequest(request.request_id, { subtype: "x", value }),
        userMessage(request.request_id),
        userMessage([object]),
      ];
      for (const line of lines) {
        expectThat(
          /^[^\n\r\u2028\u2029]*\n$/.test(line),
          "An answer is not one line",
        );
        JSON.parse(line);
      }
    },
    shrink: smallerValues,
    size: (value) => JSON.stringify(value)?.length ?? 0,
  };
}

/** Parts as a whole: what is collected, and what becomes of them elsewhere. */
function collectSubject(): Subject<TextCase> {
  return {
    name: "parts/collect",
    make: (random) => randomTextCase(random, "all"),
    async check(parts) {
      const texts = parts.map((one) =>
        typeof one === "string" ? one : one.type === "text" ? one.text : ""
      );
      const whole = collectParts(parts);
      expectSame("All text is collected", whole.text, texts.join(""));
      expectSame(
        "Collected from a stream it is the same",
        await collect(toReadableStream(parts)),
        whole,
      );
      for (const one of parts) {
        if (typeof one === "string") continue;
        const element = toTextStreamPart(one);
        expectThat(typeof element.type === "string", "An element has no type");
        JSON.stringify(element);
      }
    },
    shrink: shorterLists,
    size: (parts) => JSON.stringify(parts).length,
  };
}

/** Elements of a model of the AI SDK, in their order mostly. */
function randomElements(random: RandomSource): AISDKPart[] {
  const elements: AISDKPart[] = [{ type: "stream-start", warnings: [] }];
  const id = (): string => random.pick(["0", "1", "__proto__"]);
  for (const chunk of randomTextCase(random, "all")) {
    if (typeof chunk === "string") {
      elements.push({ type: "text-delta", id: "0", delta: chunk });
    }
    if (random.chance(0.4)) {
      elements.push(random.pick<AISDKPart>([
        { type: "text-start", id: id() },
        { type: "text-end", id: id() },
        { type: "text-delta", id: id(), delta: "x" },
        { type: "reasoning-start", id: "r" },
        { type: "reasoning-delta", id: "r", delta: "so" },
        { type: "reasoning-end", id: "r" },
        { type: "raw", rawValue: null },
        { type: "tool-input-start", id: "t", toolName: "read" },
        { type: "tool-call", toolCallId: "t", toolName: "read", input: "{}" },
        { type: "not-ours" },
        { type: "error", error: "e" },
      ]));
    }
  }
  elements.push({
    type: "finish",
    finishReason: random.pick<unknown>(["stop", { unified: "stop" }, null]),
    usage: {},
  });
  return elements;
}

const OURS = /^text-|^reasoning-|^finish$/;

/** The middleware: all text, everything else in order, starts and ends in pairs. */
function middlewareSubject(): Subject<AISDKPart[]> {
  return {
    name: "ai-sdk/middleware",
    make: randomElements,
    async check(elements) {
      for (const tools of [[], [{ name: "read", inputSchema: {} }]]) {
        const { stream } = await millrace({ tools, generateId: () => "id" })
          .wrapStream({
            doStream: () =>
              Promise.resolve({ stream: toReadableStream(elements) }),
            params: {},
          });
        const output: AISDKPart[] = [];
        for await (const one of readParts(stream, new TransformStream())) {
          output.push(one as AISDKPart);
        }
        const others = (given: readonly AISDKPart[]): AISDKPart[] =>
          given.filter(({ type, toolCallId }) =>
            !OURS.test(type) && toolCallId !== "id"
          );
        expectSame("Others pass in order", others(output), others(elements));
        const texts = (given: readonly AISDKPart[]): string =>
          given.map(({ type, delta }) => type === "text-delta" ? delta : "")
            .join("");
        if (tools.length === 0) {
          // Whether a pair that an element parts is one, is tested elsewhere.
          const whole = (text: string): string =>
            text.replace(/[\ud800-\udfff\ufffd]/g, "");
          expectSame(
            "All text is there",
            whole(texts(output)),
            whole(texts(elements)),
          );
        }
        let open: unknown;
        for (const { type, id } of output) {
          if (type === "text-start") {
            expectThat(open === undefined, "A block begins within another");
            open = id;
          } else if (type === "text-delta") {
            expectSame("A delta is in its block", id, open);
          } else if (type === "text-end") {
            expectSame("The end is that of the block", id, open);
            open = undefined;
          }
        }
        expectThat(open === undefined, "A block has no end");
        expectThat(
          output.filter(({ type }) => type === "finish").length === 1,
          "There is not one finish",
        );
      }
    },
    shrink: shorterLists,
    size: (elements) => JSON.stringify(elements).length,
  };
}

/** All of them. */
export function functionSubjects(): Subject[] {
  return [
    fitSubject(),
    sanitizeSubject(),
    gateSubject(),
    encodeSubject(),
    intentSubject(),
    languageSubject(),
    answerSubject(),
    collectSubject(),
    middlewareSubject(),
  ] as unknown as Subject[];
}
