import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  cursorSession,
  type Message,
  openSqliteFile,
  SessionStream,
  type SessionWarning,
} from "../../../adapters/sessions/mod.ts";
import { parse, SnippetExtractorStream } from "../../../mod.ts";

const folder = new URL("../../sessions/", import.meta.url);

function bytesOf(file: string): Uint8Array {
  return new Uint8Array(readFileSync(new URL(file, folder)));
}

interface Fence {
  info: string;
  language: string | null;
  language_only?: string;
  content: string;
  closed: boolean;
  line: number;
  path?: string;
  path_source?: string;
  line_range?: [number, number];
}

interface AnswerMessage {
  id: string | null;
  line: number | null;
  model?: string | null;
  sidechain?: boolean;
  text_blocks: number;
  fences: Fence[];
  tag_blocks?: {
    language: string;
    content: string;
    closed: boolean;
    line: number;
    path?: string;
  }[];
  tool_snippets: {
    tool: string;
    path: string;
    content?: string;
    diff?: string;
    old?: string;
    applied_line_ranges?: [number, number][];
  }[];
  hasCode: boolean;
}

interface Answer {
  file: string;
  kind: string;
  messages: Record<string, number> | null;
  bad_lines?: number[];
  non_object_lines?: number[];
  assistant?: AnswerMessage[];
  conversations?: {
    composer?: string;
    tab?: string;
    assistant: AnswerMessage[];
  }[];
  call_snippets?: { tool: string; path: string }[];
}

function linesOf<Value>(file: string): Value[] {
  return readFileSync(new URL(file, folder), "utf8").trim().split("\n").map((
    line,
  ) => JSON.parse(line) as Value);
}

const answers = linesOf<Answer>("answers.jsonl");

/** What the answers tell of a message. */
function shapeOf(message: Message) {
  const { snippets, blocks } = message;
  const line = (block: number, offset = 0): number => {
    const text = blocks[block];
    return text?.type === "text"
      ? text.text.slice(0, offset).split("\n").length
      : 0;
  };
  const fenced = snippets.filter(({ toolName }) => toolName === undefined).map(
    (snippet) => ({
      info: snippet.info ?? "",
      language: snippet.language,
      content: snippet.content,
      closed: snippet.closed,
      line: line(snippet.block, snippet.start),
      path: snippet.pathSource === "stored" ? undefined : snippet.filePath,
      range: snippet.lineRange,
    }),
  );
  const isTag = ({ line }: { line: number }, block: number): boolean => {
    const text = blocks[block];
    return text?.type === "text" &&
      (text.text.split("\n")[line - 1] ?? "").startsWith("<");
  };
  return {
    textBlocks: blocks.filter(({ type }) => type === "text").length,
    fences: fenced.filter((each, index) =>
      !isTag(each, snippets[index]!.block)
    ),
    tags: fenced.filter((each, index) => isTag(each, snippets[index]!.block))
      .map(({ info: _, range: __, ...rest }) => rest),
    tools: snippets.filter(({ toolName }) => toolName !== undefined).map(
      ({ toolName, filePath, content, replaces, appliedRanges }) => ({
        tool: toolName,
        path: filePath,
        content,
        old: replaces,
        appliedRanges,
      }),
    ),
    hasCode: message.hasCode,
  };
}

function expectedShape(answer: AnswerMessage) {
  return {
    textBlocks: answer.text_blocks,
    fences: answer.fences.map((fence) => {
      const citation = /^(\d+):(\d+):(.+)$/.exec(fence.info);
      return {
        info: fence.info,
        language: citation === null
          ? fence.language_only ?? fence.language ?? undefined
          : undefined,
        content: fence.content,
        closed: fence.closed,
        line: fence.line,
        // The answers do not read `1:12:path`.
        path: citation?.[3] ?? fence.path,
        range: citation === null
          ? fence.line_range
          : [Number(citation[1]), Number(citation[2])],
      };
    }),
    tags: (answer.tag_blocks ?? []).map((
      { language, content, closed, line, path },
    ) => ({ language, content, closed, line, path })),
    tools: answer.tool_snippets.map((snippet) => ({
      tool: snippet.tool,
      path: snippet.path,
      content: snippet.content ?? snippet.diff ?? "",
      old: snippet.old,
      appliedRanges: snippet.applied_line_ranges,
    })),
    hasCode: answer.hasCode,
  };
}

function checkMessages(
  messages: readonly Message[],
  expected: readonly AnswerMessage[],
  adjust: (shape: ReturnType<typeof shapeOf>) => unknown = (shape) => shape,
): void {
  const spoken = messages.filter(({ role }) => role === "assistant");
  expect(spoken.length).toBe(expected.length);
  for (const [index, answer] of expected.entries()) {
    const message = spoken[index]!;
    expect(adjust(shapeOf(message))).toEqual(
      adjust(expectedShape(answer) as ReturnType<typeof shapeOf>),
    );
    if (answer.id !== null) expect(message.id).toBe(answer.id);
    if (answer.line !== null) {
      expect(message.line ?? message.index).toBe(answer.line);
    }
    if (answer.sidechain !== undefined) {
      expect(message.sidechain ?? false).toBe(answer.sidechain);
    }
  }
}

function count(messages: readonly Message[], role: string): number {
  return messages.filter((message) => message.role === role).length;
}

function read(
  file: string,
): { messages: Message[]; warnings: SessionWarning[]; kind: string } {
  const warnings: SessionWarning[] = [];
  let kind = "";
  const messages = parse(
    [bytesOf(file)],
    new SessionStream({
      onWarning: (warning) => warnings.push(warning),
      onFormat: (format) => {
        kind = format;
      },
    }),
  );
  return { messages, warnings, kind };
}

const KINDS: Readonly<Record<string, string>> = {
  "claude-code": "claude-session",
  codex: "codex-session",
  gemini: "gemini-session",
};

/** The program's way of telling the edited lines is no part of these answers. */
function withoutRanges(shape: ReturnType<typeof shapeOf>) {
  return {
    ...shape,
    tools: shape.tools.map(({ tool, path, content }) => ({
      tool,
      path,
      content,
    })),
  };
}

describe("real sessions of", () => {
  for (
    const kind of [
      "claude-code",
      "aider",
      "cline",
      "gemini",
      "continue",
      "copilot",
      "opencode",
      "pi",
    ]
  ) {
    test(kind, () => {
      const files = answers.filter((answer) => answer.kind === kind);
      expect(files.length).toBeGreaterThan(0);
      for (const answer of files) {
        const { messages, warnings, kind: found } = read(answer.file);
        expect(found).toBe(KINDS[kind] ?? kind);
        for (const role of ["user", "assistant"]) {
          expect(`${answer.file} ${role} ${count(messages, role)}`)
            .toBe(`${answer.file} ${role} ${answer.messages![role] ?? 0}`);
        }
        checkMessages(
          messages,
          answer.assistant!,
          kind === "claude-code" ? undefined : withoutRanges,
        );
        if (answer.bad_lines === undefined) continue;
        const bad = [...answer.bad_lines, ...answer.non_object_lines ?? []];
        expect(
          warnings.filter(({ code }) => code !== "malformed").map(({ line }) =>
            line
          ),
        ).toEqual(bad.sort((a, b) => a - b));
      }
    });
  }

  test("codex", () => {
    for (const answer of answers.filter(({ kind }) => kind === "codex")) {
      const { messages, kind, warnings } = read(answer.file);
      expect(kind).toBe("codex-session");
      for (const role of ["user", "assistant", "developer"]) {
        expect(`${answer.file} ${role} ${count(messages, role)}`)
          .toBe(`${answer.file} ${role} ${answer.messages![role] ?? 0}`);
      }
      checkMessages(messages, answer.assistant!, withoutRanges);
      expect(
        messages.flatMap(({ snippets }) => snippets).filter(({ toolName }) =>
          toolName !== undefined
        ).map(({ toolName, filePath }) => [toolName, filePath]),
      ).toEqual(
        [
          ...answer.assistant!.flatMap(({ tool_snippets }) => tool_snippets),
          ...answer.call_snippets!,
        ].map(({ tool, path }) => [tool, path]),
      );
      expect(warnings.map(({ line }) => line)).toEqual(answer.bad_lines);
    }
  });

  test("cursor", async () => {
    for (
      const answer of answers.filter(({ file }) => file.endsWith(".vscdb"))
    ) {
      const messages: Message[] = [];
      const reader = cursorSession(openSqliteFile(bytesOf(answer.file)))
        .getReader();
      for (
        let next = await reader.read();
        !next.done;
        next = await reader.read()
      ) messages.push(next.value);
      expect(count(messages, "user")).toBe(answer.messages!["user"]);
      expect(count(messages, "assistant")).toBe(answer.messages!["assistant"]);
      for (const { composer, tab, assistant } of answer.conversations!) {
        const own = messages.filter(({ sessionId }) =>
          sessionId === (composer ?? tab)
        ).map(({ index: _, ...rest }) => rest);
        checkMessages(own, assistant, withoutRanges);
      }
    }
    for (
      const answer of answers.filter(({ file }) =>
        /^cursor\/.*\.jsonl$/.test(file)
      )
    ) {
      const { messages, kind, warnings } = read(answer.file);
      expect(kind).toBe("cursor");
      checkMessages(messages, answer.assistant!);
      expect(warnings.map(({ line }) => line)).toEqual(answer.bad_lines);
    }
  });

  test("specstory", () => {
    for (const answer of answers.filter(({ kind }) => kind === "specstory")) {
      const { messages, kind } = read(answer.file);
      expect(kind).toBe("specstory");
      expect(count(messages, "user")).toBe(answer.messages!["User"]);
      expect(count(messages, "assistant")).toBe(answer.messages!["Assistant"]);
    }
  });

  test("no known format", () => {
    expect(() => read("cursor/05-json-dump.json")).toThrow(
      /none of "claude-session"/,
    );
    expect(() => read("cursor/03-gnomon.vscdb")).toThrow(/SQLite/);
    expect(() => read("README.md")).toThrow(/none of/);
  });
});

describe("real answers", () => {
  interface Transcript {
    file: string;
    blocks: Fence[];
    tag_blocks?: {
      language: string;
      content: string;
      line: number;
      path: string;
    }[];
  }
  const transcripts = linesOf<Transcript>("transcripts/answers.jsonl");
  test("have the blocks that CommonMark sees", () => {
    expect(transcripts.length).toBe(65);
    for (const { file, blocks } of transcripts) {
      const text = readFileSync(new URL(`transcripts/${file}`, folder), "utf8");
      for (const mode of ["tolerant", "commonmark"] as const) {
        const parts = parse(text, new SnippetExtractorStream({ mode }));
        const found = parts.filter((part) => part.type === "snippet").map(
          ({ info, content, closed, start }) => ({
            file,
            info,
            content,
            closed,
            line: text.slice(0, start).split("\n").length,
          }),
        );
        expect(found).toEqual(blocks.map(({ info, content, closed, line }) => ({
          file,
          info,
          content,
          closed,
          line,
        })));
      }
    }
  });
  test("have the blocks between tags", () => {
    const tagged = transcripts.filter(({ tag_blocks }) =>
      tag_blocks !== undefined
    );
    expect(tagged.length).toBe(4);
    for (const { file, blocks, tag_blocks = [] } of tagged) {
      const text = readFileSync(new URL(`transcripts/${file}`, folder), "utf8");
      const parts = parse(
        text,
        new SnippetExtractorStream({ tagBlocks: true }),
      );
      const found = parts.filter((part) => part.type === "snippet");
      expect(found.length).toBe(blocks.length + tag_blocks.length);
      expect(
        found.filter(({ start }) => text[start] === "<").map((snippet) => ({
          file,
          language: snippet.language,
          content: snippet.content,
          path: snippet.filePath,
          line: text.slice(0, snippet.start).split("\n").length,
        })),
      ).toEqual(tag_blocks.map(({ language, content, line, path }) => ({
        file,
        language,
        content,
        path,
        line,
      })));
    }
  });
});
