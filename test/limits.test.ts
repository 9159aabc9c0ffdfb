/** Every line of docs/limits.md: what is kept, how much, and what happens then. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { fromJSONL } from "../adapters/jsonl.ts";
import {
  JSONLParserStream,
  type JSONLRecord,
} from "../adapters/jsonl_parser.ts";
import { LineSplitterStream } from "../adapters/line_splitter.ts";
import { openaiChat } from "../adapters/providers/openai_chat.ts";
import {
  ClaudeCodeSessionStream,
  type Message,
  openSqliteFile,
  SessionStream,
  type SessionWarning,
} from "../adapters/sessions/mod.ts";
import { fromSSE } from "../adapters/sse.ts";
import { SSEParserStream } from "../adapters/sse_parser.ts";
import { StreamError } from "../adapters/stream_error.ts";
import {
  collect,
  type Collected,
  collectParts,
  DirectiveExtractorStream,
  FenceSplitterStream,
  FenceTrackerStream,
  parse,
  type Part,
  SnippetExtractorStream,
  type StageStream,
  SurrogateSanitizerStream,
  ToolCallSalvagerStream,
  ToolGateStream,
} from "../mod.ts";
import { coverage } from "./laws.ts";
import { optionsPage } from "./support/option_tables.ts";

function read(path: string): string {
  return readFileSync(fileURLToPath(new URL(path, import.meta.url)), "utf8");
}

/** A row of the page. */
interface Row {
  what: string;
  option: string;
  default: number;
}

const rows: Row[] = read("../docs/limits.md").split("\n")
  .filter((line) => line.startsWith("| ") && !/^\| (?:what|-)/.test(line))
  .map((line) => {
    const [, what, option, value] = line.split("|").map((cell) => cell.trim());
    return {
      what: what!,
      option: option!.replaceAll("`", ""),
      default: Number(value),
    };
  });

/** Most code units that a stage holds while a text goes through it bit by bit. */
function mostHeld(stream: StageStream<string, Part>, text: string): number {
  let covered = 0;
  let most = 0;
  for (let at = 0; at < text.length; at++) {
    stream.stage.push(text[at]!, (part) => {
      covered = Math.max(covered, coverage([part]));
    });
    most = Math.max(most, at + 1 - covered);
  }
  return most;
}

function codes(parts: readonly Part[]): string[] {
  return collectParts(parts).warnings.map(({ code }) => code);
}

function textOf(parts: readonly Part[]): string {
  return collectParts(parts).text;
}

/** Directives by names, for short. */
function directives(
  options: ConstructorParameters<typeof DirectiveExtractorStream>[0] = {},
): DirectiveExtractorStream {
  return new DirectiveExtractorStream({ directives: ["log"], ...options });
}

const TOOLS = [{
  name: "read",
  inputSchema: {
    type: "object",
    properties: { path: { type: "string" } },
  },
}] as const;

function salvager(
  options: ConstructorParameters<typeof ToolCallSalvagerStream>[0] = {},
): ToolCallSalvagerStream {
  return new ToolCallSalvagerStream({ tools: TOOLS, ...options });
}

function callOf(path: string): string {
  return '<function_calls><invoke name="read"><parameter name="path">' +
    `${path}</parameter></invoke></function_calls>`;
}

/** What a stream fails with. */
function failureOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof StreamError) return error.code;
    throw error;
  }
  return "";
}

/** A delta of a chat call. */
function chatCall(
  index: number,
  text: string,
  id = `c${index}`,
  name = "f",
): { data: string } {
  const call = { index, id, function: { name, arguments: text } };
  return {
    data: JSON.stringify({
      choices: [{ index: 0, delta: { tool_calls: [call] } }],
    }),
  };
}

function decoded(
  inputs: readonly { data: string }[],
  options: Parameters<typeof openaiChat.create>[0],
): Collected {
  const parts: Part[] = [];
  const decoder = openaiChat.create(options);
  for (const input of inputs) decoder.push(input, (part) => parts.push(part));
  decoder.end((part) => parts.push(part));
  return collectParts(parts);
}

/** A line of a session. */
function sessionLine(id: number, text: string): string {
  return `${
    JSON.stringify({
      type: "assistant",
      uuid: `u${id}`,
      message: {
        id: `m${id}`,
        role: "assistant",
        content: [{ type: "text", text }],
      },
    })
  }\n`;
}

/** How many messages have left when so many lines have come. */
function left(lines: number, text: string, options: object): number {
  const { stage } = new ClaudeCodeSessionStream(options);
  const messages: Message[] = [];
  for (let id = 0; id < lines; id++) {
    stage.push(sessionLine(id, text), (message) => messages.push(message));
  }
  return messages.length;
}

/** One test for each row, by what is kept and by which option. */
const TESTS: Readonly<Record<string, () => void | Promise<void>>> = {
  "every stage: a chunk at work": () => {
    const text = "a".repeat(100_000);
    for (
      const stream of [
        new FenceTrackerStream(),
        directives(),
        salvager(),
      ] as StageStream<string | Part, Part>[]
    ) {
      const parts = parse(text, stream);
      expect(
        Math.max(
          ...parts.map((part) => (part as { text: string }).text.length),
        ),
      )
        .toBe(32_768);
      expect(textOf(parts)).toBe(text);
    }
  },
  "every stage: parts that wait behind held text": () => {
    for (
      const stream of [
        new FenceTrackerStream(),
        directives(),
        salvager(),
        new SurrogateSanitizerStream(),
      ] as StageStream<string | Part, Part>[]
    ) {
      const held = ["```a", "<lo", "<tool_cal", "\ud83d"];
      let out: Part[] = [];
      const emit = (part: Part): void => {
        out.push(part);
      };
      for (const text of held) {
        out = [];
        stream.stage.push(text, emit);
        if (out.length === 0) break;
      }
      expect(out).toEqual([]);
      const usage: Part = { type: "usage", inputTokens: 1 };
      for (let count = 0; count < 1_024; count++) {
        stream.stage.push(usage, emit);
      }
      expect(out).toEqual([]);
      stream.stage.push(usage, emit);
      expect(out.length).toBeGreaterThan(1_024);
      const types = out.map((part) =>
        typeof part === "string" ? "text" : part.type
      );
      expect(types.indexOf("usage")).toBeGreaterThan(0);
    }
  },
  "every stream: chunks before it, parts behind it highWaterMark": async () => {
    for (const highWaterMark of [1, 3]) {
      const stream = new FenceTrackerStream({ highWaterMark });
      const writer = stream.writable.getWriter();
      expect(writer.desiredSize).toBe(highWaterMark);
      const writes: Promise<void>[] = [];
      for (let count = 0; count < 10; count++) writes.push(writer.write("a\n"));
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect(writer.desiredSize! <= 0).toBe(true);
      await stream.readable.cancel();
      await Promise.allSettled(writes);
    }
  },
  "`SurrogateSanitizerStream`: half a pair": () => {
    const { stage } = new SurrogateSanitizerStream();
    const out: unknown[] = [];
    stage.push("a\ud83d", (part) => out.push(part));
    expect(out).toEqual(["a"]);
    stage.push("\ud83d", (part) => out.push(part));
    expect(out).toEqual(["a", "\ufffd"]);
  },
  "`FenceTrackerStream`: a line that may open or close maxInfoLength": () => {
    const text = `\`\`\`${"a".repeat(3_000)}\nx\n`;
    const parts = parse(text, new FenceTrackerStream());
    expect(codes(parts)).toEqual(["limit"]);
    expect(textOf(parts)).toBe(text);
    expect(parts.some(({ type }) => type === "fence-start")).toBe(false);
    expect(mostHeld(new FenceTrackerStream(), text)).toBe(1_024);
    expect(mostHeld(new FenceTrackerStream({ maxInfoLength: 9 }), text)).toBe(
      9,
    );
  },
  "`FenceTrackerStream`: containers in one another maxDepth": () => {
    const text = `${"> ".repeat(101)}\`\`\`\nx\n${"> ".repeat(101)}\`\`\`\nx\n`;
    expect(codes(parse(text, new FenceTrackerStream()))).toEqual(["limit"]);
    expect(codes(parse(text, new FenceTrackerStream({ maxDepth: 101 }))))
      .toEqual([]);
  },
  '`FenceTrackerStream`: a code span, with `inline: "hold"` maxSpanLength':
    () => {
      for (const [fill, most] of [["b", 4_096], ["`", 4_096]] as const) {
        const text = `a \`${fill.repeat(6_000)} c`;
        const hold = { inline: "hold" } as const;
        const parts = parse(text, new FenceTrackerStream(hold));
        expect(codes(parts)).toEqual(["limit"]);
        expect(textOf(parts)).toBe(text);
        expect(mostHeld(new FenceTrackerStream(hold), text)).toBe(most);
        expect(
          mostHeld(
            new FenceTrackerStream({ ...hold, maxSpanLength: 20 }),
            text,
          ),
        ).toBe(20);
      }
    },
  "`DirectiveExtractorStream`: a tag maxTagLength": () => {
    const text = `<log a="${"b".repeat(6_000)}">x</log>`;
    const parts = parse(text, directives());
    expect(codes(parts)).toEqual(["too-long"]);
    expect(textOf(parts)).toBe(text);
    expect(mostHeld(directives() as StageStream<string, Part>, text)).toBe(
      4_095,
    );
    expect(
      collectParts(parse(text, directives({ maxTagLength: 7_000 }))).directives,
    )
      .toHaveLength(1);
  },
  "`DirectiveExtractorStream`: a tag behind open backticks maxHeldSpan": () => {
    const text = `\`a <log>x</log> ${"b ".repeat(4_000)}`;
    const parts = parse(text, directives());
    expect(codes(parts)).toEqual(["limit"]);
    expect(collectParts(parts).directives).toHaveLength(1);
    expect(mostHeld(directives() as StageStream<string, Part>, text))
      .toBeLessThan(4_096 + 20);
  },
  "`DirectiveExtractorStream`: openers in one another maxDepth": () => {
    const nest = (depth: number) =>
      "<log>".repeat(depth) + "</log>".repeat(depth);
    expect(codes(parse(nest(64), directives()))).toEqual([]);
    expect(codes(parse(nest(70), directives()))).toEqual(["limit"]);
    expect(codes(parse(nest(70), directives({ maxDepth: 70 })))).toEqual([]);
  },
  "`DirectiveExtractorStream`: content maxContentLength": () => {
    const text = `<log>${"a".repeat(200)}</log>`;
    const maxContentLength = 100;
    const parts = parse(text, directives({ maxContentLength }));
    expect(codes(parts)).toEqual(["limit"]);
    const [directive] = collectParts(parts).directives;
    expect(directive).toMatchObject({ complete: false });
    expect(directive!.content.length <= maxContentLength).toBe(true);
    const whole = parse(
      text,
      directives({ maxContentLength, unclosed: "text" }),
    );
    expect(codes(whole)).toEqual(["limit"]);
    expect(textOf(whole)).toBe(text);
    const long = `<log>${"a".repeat(1_048_576)}</log>`;
    expect(codes(parse(long, directives()))).toEqual(["limit"]);
    expect(codes(parse(long, directives({ maxContentLength: 1_048_600 }))))
      .toEqual([]);
  },
  "`ToolCallSalvagerStream`: markup of a candidate maxCandidateLength": () => {
    const one =
      '<invoke name="read"><parameter name="path">a</parameter></invoke>';
    const text = `<function_calls>${one.repeat(1_200)}</function_calls>`;
    const parts = parse(text, salvager());
    expect(codes(parts)).toContain("too-long");
    expect(codes(parse(text, salvager({ maxCandidateLength: 100_000 }))))
      .toEqual([]);
    // The wrapper alone is too long, or its call as well.
    const small = (maxCandidateLength: number): Collected =>
      collectParts(parse(callOf("a"), salvager({ maxCandidateLength })));
    expect(small(100).text).toBe("");
    expect(small(50).toolCalls).toHaveLength(1);
    expect(small(50).text).toBe("<function_calls></function_calls>");
    expect(small(40).toolCalls).toEqual([]);
    expect(small(40).text).toBe(callOf("a"));
    expect(small(40).warnings.map(({ code }) => code)).toEqual(["too-long"]);
  },
  "`ToolCallSalvagerStream`: values of a candidate maxValueLength": () => {
    const text = callOf("a".repeat(1_048_577));
    const parts = parse(text, salvager());
    expect(codes(parts)).toEqual(["too-long"]);
    expect(textOf(parts)).toBe(text);
    expect(collectParts(parse(callOf("a".repeat(1_000)), salvager())).toolCalls)
      .toHaveLength(1);
    expect(
      codes(parse(callOf("a".repeat(100)), salvager({ maxValueLength: 99 }))),
    )
      .toEqual(["too-long"]);
  },
  "`ToolCallSalvagerStream`: one tag or token": () => {
    for (const [length, calls] of [[900, 1], [1_100, 0]] as const) {
      const text = callOf("a").replace('"read"', `"read"${" ".repeat(length)}`);
      const { toolCalls, warnings } = collectParts(parse(text, salvager()));
      expect(toolCalls).toHaveLength(calls);
      expect(warnings.map(({ code }) => code)).toEqual(
        calls === 1 ? [] : ["malformed"],
      );
    }
  },
  "`ToolCallSalvagerStream`: brackets in one another in JSON": () => {
    for (const [depth, calls] of [[250, 1], [260, 0]] as const) {
      const value = "[".repeat(depth) + "]".repeat(depth);
      const text =
        `<tool_call>{"name":"read","arguments":{"other":${value}}}</tool_call>`;
      const parts = parse(text, salvager());
      expect(collectParts(parts).toolCalls).toHaveLength(calls);
      expect(codes(parts).length > 0).toBe(calls === 0);
    }
  },
  "`ToolCallSalvagerStream`: white space behind a bare call": () => {
    const call = '<invoke name="read"></invoke>';
    const stream = salvager({ bare: "line-start" });
    const parts: Part[] = [];
    stream.stage.push(call + " ".repeat(256), (part) => parts.push(part));
    expect(parts).toEqual([]);
    stream.stage.push("  ", (part) => parts.push(part));
    expect(parts[0]?.type).toBe("tool-call");
  },
  "`ToolCallSalvagerStream`: a lead-in word's line": () => {
    const stream = salvager({ bare: "line-start" });
    let text = "";
    stream.stage.push(
      `count${"\n".repeat(9)}`,
      (part) => text += textOf([part]),
    );
    expect(text).toBe("");
    stream.stage.push("\n".repeat(9), (part) => text += textOf([part]));
    expect(text).not.toBe("");
  },
  "`ToolCallSalvagerStream`: a string over lines, `verbatim`": () => {
    const calls = (length: number): number =>
      collectParts(
        parse(`"""${"\n".repeat(length)}${callOf("a")}`, salvager()),
      ).toolCalls.length;
    expect([calls(4_095), calls(4_096)]).toEqual([0, 1]);
  },
  "`ToolCallSalvagerStream`: a tag that begins a passage": () => {
    const calls = (length: number): number =>
      collectParts(
        parse(`<think ${"a".repeat(length - 8)}>${callOf("a")}`, salvager()),
      ).toolCalls.length;
    expect([calls(256), calls(257)]).toEqual([0, 1]);
  },
  "`SnippetExtractorStream`: content maxContentLength": () => {
    const text = `\`\`\`\n${"a\n".repeat(100)}\`\`\`\n`;
    const parts = parse(
      text,
      new SnippetExtractorStream({ maxContentLength: 50 }),
    );
    expect(codes(parts)).toEqual(["limit"]);
    expect(textOf(parts)).toBe(text);
    const [snippet] = collectParts(parts).snippets;
    expect(snippet!.closed).toBe(false);
    expect(snippet!.content.length <= 50).toBe(true);
    const long = `\`\`\`\n${"a".repeat(16_777_217)}\n\`\`\`\n`;
    expect(codes(parse(long, new SnippetExtractorStream()))).toEqual(["limit"]);
  },
  "`SnippetExtractorStream`: text before a fence maxLineLength": () => {
    const fence = "\n```\nx\n```\n";
    const pathOf = (text: string, options = {}) =>
      collectParts(parse(text, new SnippetExtractorStream(options)))
        .snippets[0]!.filePath;
    const path = `src/${"d/".repeat(40)}a.ts`;
    expect(pathOf(path + fence)).toBe(path);
    expect(pathOf(path + fence, { maxLineLength: 20 })).toBe(undefined);
  },
  "`FenceSplitterStream`: a message maxLength": () => {
    const text = "word ".repeat(1_000);
    const messages = (options = {}): string[] => {
      const all: string[] = [];
      for (const part of parse(text, new FenceSplitterStream(options))) {
        if ("text" in part && typeof part.text === "string") {
          all.push(part.text);
        } else if ("content" in part && typeof part.content === "string") {
          all.push(part.content);
        }
      }
      return all;
    };
    expect(messages().length).toBeGreaterThan(1);
    expect(messages({ maxLength: 100 }).length).toBeGreaterThan(40);
    expect(messages({ maxLength: 100 }).every(({ length }) => length <= 100))
      .toBe(
        true,
      );
  },
  "`ToolGateStream`: calls that wait for their verdict": async () => {
    let asked = 0;
    let decide: (verdict: boolean) => void = () => {};
    const gate = new ToolGateStream({
      policy: () => {
        asked++;
        return new Promise<boolean>((resolve) => {
          decide = resolve;
        });
      },
    });
    const call: Part = {
      type: "tool-call",
      toolCallId: "1",
      toolName: "read",
      input: {},
      origin: "native",
    };
    const writer = gate.writable.getWriter();
    const reader = gate.readable.getReader();
    const writes = [writer.write(call), writer.write(call)];
    const first = reader.read();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(asked).toBe(1);
    decide(true);
    expect((await first).value).toEqual(call);
    const second = reader.read();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(asked).toBe(2);
    decide(false);
    expect((await second).value).toMatchObject({ type: "tool-blocked" });
    await Promise.all(writes);
  },
  "`SSEParserStream`: an event maxBufferSize": () => {
    const code = (options: object, lines: number) =>
      failureOf(() =>
        parse(
          Array.from({ length: lines }, () => `data: ${"a".repeat(993)}\n`),
          new SSEParserStream(options),
        )
      );
    expect(code({ maxBufferSize: 10_000 }, 20)).toBe("max-buffer-size");
    expect(code({ maxBufferSize: 100_000 }, 20)).toBe("");
    expect(code({}, 17_000)).toBe("max-buffer-size");
  },
  "`SSEParserStream`: a line maxLineChars": () => {
    const code = (options: object, length: number) =>
      failureOf(() =>
        parse([`data: ${"a".repeat(length)}\n\n`], new SSEParserStream(options))
      );
    expect(code({ maxLineChars: 50 }, 100)).toBe("line-too-long");
    expect(code({ maxLineChars: 200 }, 100)).toBe("");
  },
  "`JSONLParserStream`: a line, or a value maxLineChars": () => {
    const text = `"${"a".repeat(100)}"\n1\n`;
    const kinds = (options: object): unknown[] =>
      parse([text], new JSONLParserStream(options)).map((
        record: JSONLRecord,
      ) => record.ok ? "value" : record.kind);
    expect(kinds({ maxLineChars: 50 })).toEqual(["line-too-long", "value"]);
    expect(kinds({ maxLineChars: 50, concatenated: true })).toEqual([
      "line-too-long",
      "value",
    ]);
    expect(kinds({})).toEqual(["value", "value"]);
  },
  "`LineSplitterStream`: a line maxLineChars": () => {
    const warnings: string[] = [];
    const lines = parse(
      [`${"a".repeat(100)}\nb\n`],
      new LineSplitterStream({
        maxLineChars: 50,
        onWarning: ({ code }) => warnings.push(code),
      }),
    );
    expect(lines.map(({ text, length }) => [text.length, length])).toEqual([
      [50, 100],
      [1, 1],
    ]);
    expect(warnings).toEqual(["line-too-long"]);
  },
  "`fromSSE`: an event maxEventChars": async () => {
    const { errors, finish } = await collect(
      fromSSE(`data: ${"a".repeat(40)}\n`.repeat(10), { maxEventChars: 100 }),
    );
    expect(errors[0]).toMatchObject({
      fatal: true,
      error: { code: "max-buffer-size" },
    });
    expect(finish).toMatchObject({ reason: "error", complete: false });
  },
  "`fromSSE`: a line maxLineChars": async () => {
    const { errors, finish } = await collect(
      fromSSE(`data: ${"a".repeat(400)}\n\n`, { maxLineChars: 100 }),
    );
    expect(errors[0]).toMatchObject({
      fatal: true,
      error: { code: "line-too-long" },
    });
    expect(finish).toMatchObject({ reason: "error", complete: false });
  },
  "`fromJSONL`: a line maxLineChars": async () => {
    const line =
      '{"model":"m","message":{"role":"assistant","content":"b"},"done":false}\n';
    const { text, warnings, errors } = await collect(
      fromJSONL(`${line}{"a":"${"a".repeat(400)}"}\n${line}`, {
        maxLineChars: 100,
      }),
    );
    expect(text).toBe("bb");
    expect(errors).toEqual([]);
    expect(warnings.map(({ code }) => code)).toEqual(["line-too-long"]);
  },
  "every source: a chunk at work": async () => {
    const body = 'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n'
      .repeat(2_000);
    let pulled = 0;
    const reader = fromSSE({
      *[Symbol.iterator]() {
        pulled++;
        yield body;
      },
    }, { raw: "none" }).getReader();
    await reader.read();
    expect(pulled).toBe(1);
    let count = 1;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      if (value.type === "text") count++;
    }
    expect(count).toBe(2_000);
  },
  "every source: the body of an error answer": async () => {
    let pulled = 0;
    const response = new Response(
      new ReadableStream({
        pull(controller) {
          pulled++;
          controller.enqueue(new TextEncoder().encode("x".repeat(1_000)));
        },
      }),
      { status: 500 },
    );
    const { errors } = await collect(fromSSE(response));
    expect(errors[0]?.error.code).toBe("http-500");
    expect(pulled).toBeLessThan(80);
  },
  "every decoder: calls that are open maxOpenCalls": () => {
    const inputs = Array.from(
      { length: 1_030 },
      (_, index) => chatCall(index, "{"),
    );
    const { partialToolCalls, warnings } = decoded(inputs, {});
    expect(partialToolCalls).toHaveLength(1_024);
    expect(warnings.every(({ code }) => code === "limit")).toBe(true);
    expect(decoded(inputs, { maxOpenCalls: 3 }).partialToolCalls).toHaveLength(
      3,
    );
  },
  "every decoder: arguments of one call maxArgumentChars": () => {
    const inputs = ['{"a":"', "b".repeat(100), '"}'].map((text) =>
      chatCall(0, text)
    );
    const { partialToolCalls, toolCalls, warnings } = decoded(inputs, {
      maxArgumentChars: 50,
    });
    expect(toolCalls).toEqual([]);
    expect(partialToolCalls).toHaveLength(1);
    expect(warnings.map(({ code }) => code)).toEqual(["limit"]);
    expect(
      decoded(inputs, {}).toolCalls.length +
        decoded(inputs, {}).partialToolCalls.length,
    )
      .toBe(1);
  },
  "every decoder: ids that were used": () => {
    const decoder = openaiChat.create({ maxOpenCalls: 1 });
    for (let index = 0; index < 70_000; index += 1) {
      const id = `call-${index}`;
      decoder.push({
        data: "",
        value: {
          choices: [{
            index: 0,
            delta: {
              tool_calls: [{
                index,
                id,
                function: { name: "f", arguments: "{}" },
              }],
            },
          }],
        },
      }, () => {});
    }
    const { calls } = (decoder.snapshot() as {
      state: { calls: { used: unknown[] } };
    }).state;
    expect(calls.used.length <= 65_536).toBe(true);
  },
  "every decoder: ids that were used, together": () => {
    const decoder = openaiChat.create({ maxOpenCalls: 2_000 });
    for (let index = 0; index < 1_100; index++) {
      const id = `${index}`.padEnd(5_000, "x");
      decoder.push(chatCall(index, "{}", id), () => {});
    }
    const { calls } = (decoder.snapshot() as {
      state: { calls: { used: string[] } };
    }).state;
    expect(calls.used.length).toBeGreaterThan(800);
    expect(calls.used.join("").length).toBeLessThanOrEqual(4_194_304);
  },
  "every decoder: ids and names of open calls": () => {
    const long = "n".repeat(10_000_000);
    const { partialToolCalls, warnings } = decoded([
      chatCall(0, "{", "a", long),
      chatCall(1, "{", "b", long),
    ], {});
    expect(partialToolCalls).toHaveLength(1);
    expect(warnings.map(({ code }) => code)).toEqual(["limit"]);
  },
  "`stripAnsi`: a terminal sequence": () => {
    const title = (length: number) => `\u001b]0;${"t".repeat(length)}\u0007`;
    const kinds = (text: string): unknown[] =>
      parse([text], new JSONLParserStream({ stripAnsi: true })).map((record) =>
        record.ok
      );
    expect(kinds(`${title(4_000)}1\n`)).toEqual([true]);
    expect(kinds(`${title(5_000)}1\n`)).toEqual([false]);
  },
  "sessions: a line or element maxLineChars": () => {
    const warnings: SessionWarning[] = [];
    const messages = parse(
      [sessionLine(1, "a".repeat(1_000)), sessionLine(2, "b")],
      new ClaudeCodeSessionStream({
        maxLineChars: 500,
        onWarning: (warning) => warnings.push(warning),
      }),
    );
    expect(messages).toHaveLength(1);
    expect(warnings.map(({ code }) => code)).toEqual(["line-too-long"]);
  },
  "sessions: messages that may still grow maxOpenMessages": () => {
    expect(left(256, "a", {})).toBe(0);
    expect(left(260, "a", {})).toBe(4);
    expect(left(10, "a", { maxOpenMessages: 3 })).toBe(7);
  },
  "sessions: text of messages that may still grow maxOpenChars": () => {
    expect(left(10, "a".repeat(1_000), { maxOpenChars: 5_000 }))
      .toBeGreaterThan(4);
    expect(left(10, "a".repeat(1_000), {})).toBe(0);
  },
  "sessions: ids of records, and of messages that have left": () => {
    const isRevision = (between: number): boolean => {
      const { stage } = new ClaudeCodeSessionStream({ maxOpenMessages: 1 });
      let last: Message | undefined;
      const emit = (message: Message): void => {
        last = message;
      };
      for (let id = 0; id <= between; id++) {
        stage.push(sessionLine(id, "a"), emit);
      }
      // Another record of the first message.
      stage.push(sessionLine(0, "b").replace('"u0"', '"more"'), emit);
      stage.end(emit);
      return last?.revision === true;
    };
    expect(isRevision(32_000)).toBe(true);
    expect(isRevision(70_000)).toBe(false);
  },
  "`SessionStream`: what is looked at for the format": () => {
    expect(failureOf(() => parse(["x\n".repeat(600_000)], new SessionStream())))
      .toBe("unknown-format");
    const { stage } = new SessionStream();
    expect(failureOf(() => {
      for (let count = 0; count < 3_000; count++) {
        stage.push("x".repeat(1_000), () => {});
      }
    })).toBe("unknown-format");
  },
  "`openSqliteFile`: pages in memory maxPages": async () => {
    const bytes = new Uint8Array(
      readFileSync(
        fileURLToPath(
          new URL("sessions/cursor/02-global-modern.vscdb", import.meta.url),
        ),
      ),
    );
    const reads = async (maxPages: number): Promise<number> => {
      let count = 0;
      const database = openSqliteFile({
        size: bytes.length,
        read(offset: number, length: number): Uint8Array {
          count++;
          return bytes.subarray(offset, offset + length);
        },
      }, { maxPages });
      for (const key of await database.keys("cursorDiskKV", "")) {
        await database.value("cursorDiskKV", key);
      }
      return count;
    };
    expect(await reads(256)).toBeLessThan(await reads(1));
  },
};

describe("limits", () => {
  for (const [name, check] of Object.entries(TESTS)) {
    test(name, async () => {
      await check();
    }, 30_000);
  }
});

describe("the page of limits", () => {
  test("has a test for every row, and a row for every test", () => {
    expect(
      rows.map(({ what, option }) => option === "" ? what : `${what} ${option}`)
        .sort(),
    ).toEqual(Object.keys(TESTS).sort());
  });

  test("has every option that is a limit, with its default", () => {
    const page = optionsPage();
    const options = [
      ...page.matchAll(/^\| `(max[A-Z]\w+)`[^|]*\| `?([^|`]*)`? \|/gm),
    ].map(([, option, value]) => [option!, value!] as const);
    expect(options.length).toBeGreaterThan(15);
    for (const [option, value] of options) {
      const number = Number(value.replaceAll("_", ""));
      // Some defaults are those of another option.
      const matching = rows.filter((row) =>
        row.option === option &&
        (Number.isNaN(number) || row.default === number)
      );
      expect(matching.length, `${option} ${value}`).toBeGreaterThan(0);
    }
  });
});
