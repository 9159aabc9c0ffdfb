import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Message } from "../../adapters/sessions/mod.ts";
import { sessionFormats } from "../../examples/cli/options.ts";
import { root } from "../support/public_files.ts";
import { spawnCli } from "../support/spawn_cli.ts";

const sessions = "test/sessions";

interface Document {
  file?: string;
  kind: string | null;
  messages: Message[];
}

/** The documents that `--to sessions` writes, each beginning on a line of its own. */
function documentsOf(output: string): Document[] {
  return output.split(/(?<=\n\]\}\n)|(?<=\[\n\]\}\n)/).map((text) =>
    JSON.parse(text)
  );
}

describe("--to sessions", () => {
  test("one file: one document, as jq wants it", async () => {
    const { code, stdout, stderr } = await spawnCli([
      "--to",
      "sessions",
      `${sessions}/claude-code/02-representative.jsonl`,
    ]);
    expect([code, stderr]).toEqual([0, ""]);
    const { kind, file, messages } = JSON.parse(stdout) as Document;
    expect([kind, file]).toEqual(["claude-session", undefined]);
    const withCode = messages.filter(({ hasCode }) => hasCode);
    expect(withCode.length).toBeGreaterThan(0);
    for (const { snippets } of withCode) {
      expect(snippets.length).toBeGreaterThan(0);
    }
  }, 120_000);

  test(
    "folders: every session in them, everything else passed over",
    async () => {
      const { code, stdout } = await spawnCli(["--to", "sessions", sessions]);
      expect(code).toBe(0);
      const documents = documentsOf(stdout);
      const kinds = new Set(documents.map(({ kind }) => kind));
      expect([...kinds].sort()).toEqual([
        "aider",
        "claude-session",
        "cline",
        "codex-session",
        "continue",
        "copilot",
        "cursor",
        "gemini-session",
        "opencode",
        "pi",
        "specstory",
      ]);
      const files = documents.map(({ file }) => file!.replaceAll("\\", "/"));
      expect(files).toContain(`${sessions}/cursor/02-global-modern.vscdb`);
      expect(files).not.toContain(`${sessions}/README.md`);
      expect(documents.some(({ messages }) => messages.length === 0))
        .toBe(false);
    },
    120_000,
  );

  test("a folder and a program: only its sessions", async () => {
    for (
      const [from, kind] of [
        ["cursor", "cursor"],
        ["opencode-session", "opencode"],
        ["codex-session", "codex-session"],
      ] as const
    ) {
      const { code, stdout } = await spawnCli([
        "--from",
        from,
        "--to",
        "sessions",
        sessions,
      ]);
      expect(code).toBe(0);
      const kinds = documentsOf(stdout).map((document) => document.kind);
      expect(new Set(kinds)).toEqual(new Set([kind]));
    }
  }, 120_000);

  test("a folder without any", async () => {
    const { code, stderr } = await spawnCli(["examples/cli"]);
    expect(stderr).toContain("No stored session was found");
    expect(code).toBe(1);
  }, 120_000);

  test("a stream is no session, and a session no stream", async () => {
    const stream = await spawnCli([
      "--from",
      "session",
      "--to",
      "sessions",
      "examples/data/demo.sse",
    ]);
    expect(stream.code).toBe(2);
    expect(stream.stderr).toContain("Cannot tell the format");
    const folder = await spawnCli(["--from", "sse", sessions]);
    expect(folder.code).toBe(2);
    expect(folder.stderr).toContain("folders hold sessions");
  }, 120_000);

  test("the formats of the options are those of the library", () => {
    const kinds = Object.values(sessionFormats).filter((kind) =>
      kind !== undefined
    );
    expect(new Set(kinds).size).toBe(kinds.length);
    expect(kinds.length).toBe(11);
  });
});

describe("each program's files", () => {
  test(
    "Cline: the messages that were shown only where there is no history",
    async () => {
      const folder = mkdtempSync(join(tmpdir(), "millrace-"));
      const history =
        "test/sessions/cline/10-xml-tools-api_conversation_history.json";
      const shown = JSON.stringify([
        { ts: 1, type: "say", say: "text", text: "hello" },
        { ts: 2, type: "say", say: "text", text: "```js\nx\n```" },
      ]);
      for (const task of ["1", "2"]) {
        mkdirSync(join(folder, task));
        writeFileSync(join(folder, task, "ui_messages.json"), shown);
      }
      copyFileSync(
        join(root, history),
        join(folder, "1/api_conversation_history.json"),
      );
      const { stdout } = await spawnCli([
        "--from",
        "cline",
        "--to",
        "sessions",
        folder,
      ]);
      const files = documentsOf(stdout).map(({ file }) =>
        file!.slice(folder.length + 1).replaceAll("\\", "/")
      );
      expect(files).toEqual([
        "1/api_conversation_history.json",
        "2/ui_messages.json",
      ]);
    },
    120_000,
  );

  test(
    "OpenCode: the small files of its storage are one session file",
    async () => {
      const storage = mkdtempSync(join(tmpdir(), "millrace-"));
      const path = "test/sessions/opencode/01-storage.json";
      const whole = await spawnCli([path, "--to", "jsonl"]);
      const entries = Object.entries(
        JSON.parse(readFileSync(join(root, path), "utf8")),
      );
      for (const [name, value] of entries) {
        mkdirSync(dirname(join(storage, name)), { recursive: true });
        writeFileSync(join(storage, name), JSON.stringify(value, null, 1));
      }
      const { stdout } = await spawnCli([storage, "--to", "jsonl"]);
      expect(stdout).not.toBe("");
      const messages = (output: string) =>
        output.trim().split("\n").map((line) => JSON.parse(line) as Message)
          .map(({ id, blocks, snippets }) => ({ id, blocks, snippets }));
      expect(messages(stdout)).toEqual(messages(whole.stdout));
      // A file that was cut while it was written does not spoil the others.
      const cut = join(
        storage,
        entries.find(([name]) => name.startsWith("part/"))![0],
      );
      writeFileSync(cut, "{");
      const damaged = await spawnCli([storage, "--to", "jsonl"]);
      expect(messages(damaged.stdout).length).toBe(messages(stdout).length);
    },
    120_000,
  );

  test("Cursor: a database, also through a pipe", async () => {
    const path = "test/sessions/cursor/02-global-modern.vscdb";
    const words = ["--from", "cursor", "--to", "snippets"];
    const file = await spawnCli([...words, path]);
    expect(file.code).toBe(0);
    expect(file.stdout.split("\n").length).toBeGreaterThan(5);
    const piped = await spawnCli(words, readFileSync(join(root, path)));
    expect(piped.stdout).toBe(file.stdout);
  }, 120_000);
});

describe("sessions in the other formats", () => {
  const file = `${sessions}/claude-code/01-edge-cases.jsonl`;

  test("text, for people, and one message a line", async () => {
    const pretty = await spawnCli([file]);
    expect(pretty.stdout).toMatch(/^── \w+/m);
    expect(pretty.stdout).toContain("⧉ snippet");
    const lines = await spawnCli([file, "--to", "jsonl"]);
    const messages = lines.stdout.trim().split("\n").map((line) =>
      JSON.parse(line) as Message
    );
    expect(messages.length).toBeGreaterThan(5);
    const text = await spawnCli([file, "--to", "text"]);
    for (const { blocks } of messages) {
      for (const block of blocks) {
        if (block.type === "text") expect(text.stdout).toContain(block.text);
      }
    }
  }, 120_000);

  test("snippets say whose they are", async () => {
    const { stdout } = await spawnCli([file, "--to", "snippets"]);
    const [first] = stdout.trim().split("\n").map((line) => JSON.parse(line));
    expect(first).toMatchObject({
      role: "assistant",
      messageId: first.messageId,
      content: first.content,
    });
    expect(typeof first.messageId).toBe("string");
  }, 120_000);

  test(
    "what is wrong is told, counts, and fails only when strict",
    async () => {
      const usual = await spawnCli([file, "--to", "jsonl", "--stats=json"]);
      expect(usual.code).toBe(0);
      expect(usual.stderr).toContain("is no JSON object");
      const stats = JSON.parse(usual.stderr.trim().split("\n").at(-1)!);
      expect(stats.messages).toBe(usual.stdout.trim().split("\n").length);
      expect(Object.keys(stats.warnings).length).toBeGreaterThan(0);
      const strict = await spawnCli([file, "--to", "jsonl", "--strict"]);
      expect(strict.code).toBe(1);
    },
    120_000,
  );

  test("explain: one line a message and a snippet", async () => {
    const { stderr } = await spawnCli([file, "--to", "text", "--explain"]);
    expect(stderr).toMatch(/^ +\d+ {2}message +user, by the person: text$/m);
    expect(stderr).toMatch(/^ +\d+ {2}snippet /m);
    expect(stderr).toMatch(/^ +\d+ {2}invalid-line /m);
  }, 120_000);
});
