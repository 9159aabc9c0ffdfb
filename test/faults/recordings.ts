/** The recorded streams that faults are put into, as plain data. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Recording } from "./subjects.ts";

function read(path: string): string {
  return readFileSync(
    fileURLToPath(new URL(`../${path}`, import.meta.url)),
    "utf8",
  );
}

/** Lines of Gemini's command line; no recording of it is to be had. */
const GEMINI_CLI: readonly unknown[] = [
  { type: "init", session_id: "s", model: "m", timestamp: "t" },
  { type: "message", role: "user", content: "hi", timestamp: "t" },
  { type: "message", role: "assistant", content: "Let me ", delta: true },
  {
    type: "tool_use",
    tool_name: "ls",
    tool_id: "t1",
    parameters: { path: "." },
  },
  { type: "tool_result", tool_id: "t1", status: "success", output: "a" },
  { type: "message", role: "assistant", content: "look 🌊.", delta: true },
  {
    type: "result",
    status: "success",
    stats: { input_tokens: 3, output_tokens: 4, total_tokens: 7 },
  },
];

/** Parts as they travel between servers. */
const PARTS: readonly unknown[] = [
  { type: "text", text: "a 🌊 ", start: 0 },
  { type: "reasoning", text: "b" },
  { type: "text", text: "c", start: 5 },
  {
    type: "tool-call",
    toolCallId: "1",
    toolName: "t",
    input: { path: "a" },
    origin: "native",
  },
  { type: "usage", inputTokens: 1 },
  { type: "finish", reason: "tool-calls", complete: true },
];

/** An answer with all that the stages look for. */
const TEXT = 'Let me look — 🌊.\n\n<log level="warn">a note</log>\n\n' +
  "src/a.ts:\n\n```ts\nconst a = `b`;\n```\n\n" +
  '<tool_call>{"name": "read", "arguments": {"path": "src/é.ts"}}</tool_call>\n' +
  "and <think>some\n```\nmore</think> of it.\n";

/** The rows of a small database of Cursor. */
const CURSOR: readonly (readonly [key: string, value: string])[] = [
  [
    "composerData:c",
    JSON.stringify({
      composerId: "c",
      fullConversationHeadersOnly: Array.from({ length: 6 }, (_, index) => ({
        bubbleId: `b${index}`,
        type: 1 + index % 2,
      })),
    }),
  ],
  ...Array.from({ length: 6 }, (_, index) =>
    [
      `bubbleId:c:b${index}`,
      JSON.stringify({
        type: 1 + index % 2,
        text: `${index}\n\n~~~ts:src/${index}.ts\nx\n~~~\n`,
      }),
    ] as const),
];

function lines(values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join("");
}

/** Which recording stands for which provider. */
const WIRES: readonly (readonly [
  provider: string,
  framing: "sse" | "jsonl",
  file: string,
])[] = [
  [
    "anthropic",
    "sse",
    "anthropic/06-anthropic-fixed-version-tool-chain-with-thinking-display-r.sse",
  ],
  ["openai-chat", "sse", "openai-chat/16-copilot-tools.sse"],
  [
    "openai-responses",
    "sse",
    "openai-responses/06-bedrock-mantle-providers-bedrock-mantle-responses-chat-s-t.sse",
  ],
  ["gemini", "sse", "gemini/09-google-policy-headless-shell-denied.sse"],
  ["cohere", "sse", "cohere/03-cohere-v2-chat-with-tool-calls-and.sse"],
  ["google-interactions", "sse", "google-interactions/01-google-search.sse"],
  [
    "bedrock-converse",
    "jsonl",
    "bedrock/04-bedrock-converse-tool-call-parsing-errors.jsonl",
  ],
  ["codex", "jsonl", "codex/02-codex-file-change.jsonl"],
  ["opencode", "jsonl", "opencode/01-opencode-event.jsonl"],
  ["ollama", "jsonl", "ollama/01-ollama-with-tools-3.jsonl"],
  ["claude-code", "jsonl", "claude-code/04-claude-code-basic-query.jsonl"],
];

const SESSIONS: readonly (readonly [kind: string, file: string])[] = [
  ["claude-session", "claude-code/04-minimal.jsonl"],
  ["codex-session", "codex/05-flat-records.jsonl"],
  ["cline", "cline/10-xml-tools-api_conversation_history.json"],
  ["gemini-session", "gemini/06-write-file.json"],
  ["aider", "aider/10-no-answers.md"],
  ["continue", "continue/01-constructed.json"],
  ["opencode", "opencode/01-storage.json"],
  ["specstory", "specstory/02-cursor-selectors.md"],
  ["cursor", "cursor/06-agent-transcript.jsonl"],
];

/** All of them. */
export function faultRecordings(): Recording[] {
  const chat = read("real/openai-chat/16-copilot-tools.sse");
  return [
    ...WIRES.map(([provider, framing, file]): Recording => ({
      kind: framing,
      provider,
      body: read(`real/${file}`),
    })),
    { kind: "jsonl", provider: "gemini-cli", body: lines(GEMINI_CLI) },
    { kind: "jsonl", provider: "parts", body: lines(PARTS) },
    {
      kind: "sse",
      provider: "parts",
      body: PARTS.map((part) => `data: ${JSON.stringify(part)}\n\n`).join(""),
    },
    {
      kind: "sse",
      provider: "auto",
      body: read(
        "real/anthropic/06-anthropic-fixed-version-tool-chain-with-thinking-display-r.sse",
      ),
    },
    { kind: "text", body: TEXT },
    { kind: "vscode-lm", body: TEXT },
    { kind: "ai-sdk", body: TEXT },
    { kind: "pipeline", body: TEXT },
    { kind: "stages", body: TEXT },
    { kind: "framing", body: chat },
    {
      kind: "claude-code",
      body: read("real/claude-code/04-claude-code-basic-query.jsonl"),
    },
    { kind: "encoder", body: chat },
    ...SESSIONS.map(([format, file]): Recording => ({
      kind: "session",
      provider: format,
      body: read(`sessions/${file}`),
    })),
    { kind: "cursor", body: JSON.stringify(CURSOR) },
  ];
}
