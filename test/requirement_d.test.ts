/**
 * Requirement D, governance of an agent's tool calls, line by line. At length it is
 * tested with the gate, the intent policy, examples/gates, and in
 * editor_loop.test.ts.
 */
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { parse as parseYAML } from "yaml";
import {
  intentContext,
  IntentPolicy,
  type IntentPolicyOptions,
  type Part,
  readParts,
  type ToolCallPart,
  ToolCallSalvagerStream,
  ToolGateStream,
} from "../mod.ts";

const FORMAL = "You must cite a valid active Intent ID";

/** `.orchestration/active_intents.yaml`. */
const SIDECAR = `
active_intents:
  - id: INT-1
    status: IN_PROGRESS
    owned_scope: [src/auth/**]
    constraints:
      - Keep the old routes
    acceptance_criteria:
      - Tests pass
  - id: INT-2
    status: DONE
    owned_scope: ["**"]
`;

function make(options: Partial<IntentPolicyOptions> = {}): IntentPolicy {
  return new IntentPolicy({ load: () => parseYAML(SIDECAR), ...options });
}

function call(toolName: string, input: unknown): ToolCallPart {
  return {
    type: "tool-call",
    toolCallId: toolName,
    toolName,
    input,
    origin: "native",
  };
}

const write = call("write_to_file", { path: "src/auth/a.ts", content: "abc" });
const execute = call("execute_command", { command: "ls" });
const select = (id: string) => call("select_active_intent", { intent_id: id });

/** A host: what passes the gate is run, and what was blocked is told. */
async function host(
  intents: IntentPolicy,
  calls: readonly (string | Part)[],
): Promise<{ run: string[]; blocked: Part[] }> {
  const run: string[] = [];
  const blocked: Part[] = [];
  const parts = readParts(
    calls,
    new ToolCallSalvagerStream({ tools: [{ name: "execute_command" }] }),
    new ToolGateStream({ policy: intents.policy }),
  );
  for await (const part of parts) {
    if (part.type === "tool-call") run.push(part.toolName);
    if (part.type === "tool-blocked") blocked.push(part);
  }
  return { run, blocked };
}

describe("the gate", () => {
  for (const one of [write, execute]) {
    test(`${one.toolName} is blocked until select_active_intent was called`, async () => {
      const intents = make();
      expect((await host(intents, [one])).run).toEqual([]);
      expect((await host(intents, [select("INT-1"), one])).run).toEqual([
        "select_active_intent",
        one.toolName,
      ]);
    });
  }

  test("with an id that is known and in progress", async () => {
    for (const id of ["INT-2", "INT-3", ""]) {
      expect((await host(make(), [select(id), write])).run, id).toEqual([]);
    }
  });

  test("which tools are destructive is configurable", async () => {
    const intents = make({ tools: { apply_patch: "write" } });
    const { run } = await host(intents, [
      write,
      execute,
      call("apply_patch", { path: "src/auth/a.ts" }),
    ]);
    expect(run).toEqual(["write_to_file", "execute_command"]);
  });

  test("a blocked call becomes a tool-blocked part with the formal error", async () => {
    expect((await host(make(), [write])).blocked).toEqual([{
      type: "tool-blocked",
      toolCallId: "write_to_file",
      toolName: "write_to_file",
      reason: FORMAL,
    }]);
  });

  test("it never reaches the executor, native or leaked as text", async () => {
    const leak = '<tool_call>{"name":"execute_command","arguments":{}}' +
      "</tool_call>";
    const { run, blocked } = await host(make(), [leak, execute, leak]);
    expect(run).toEqual([]);
    expect(blocked.length).toBe(3);
    expect(blocked[0]).toMatchObject({ reason: FORMAL, raw: leak });
  });
});

describe("the sidecar file", () => {
  test("id, status, owned_scope globs, constraints, acceptance criteria", async () => {
    const intents = make();
    await host(intents, [select("INT-1")]);
    expect(intents.active).toEqual({
      id: "INT-1",
      status: "IN_PROGRESS",
      ownedScope: ["src/auth/**"],
      constraints: ["Keep the old routes"],
      acceptanceCriteria: ["Tests pass"],
    });
  });

  test("after the handshake there is an <intent_context> block for the prompt", async () => {
    const intents = make();
    await host(intents, [select("INT-1")]);
    expect(intentContext(intents.active!)).toBe(`<intent_context>
  <id>INT-1</id>
  <status>IN_PROGRESS</status>
  <owned_scope>
    <file>src/auth/**</file>
  </owned_scope>
  <constraints>
    <constraint>Keep the old routes</constraint>
  </constraints>
  <acceptance_criteria>
    <criterion>Tests pass</criterion>
  </acceptance_criteria>
</intent_context>`);
  });

  test("a write outside owned_scope is blocked", async () => {
    const intents = make();
    const paths = ["src/b.ts", "src/auth/../b.ts", "/etc/passwd", "../a"];
    const { run, blocked } = await host(intents, [
      select("INT-1"),
      ...paths.map((path) => call("write_to_file", { path, content: "" })),
    ]);
    expect(run).toEqual(["select_active_intent"]);
    expect(blocked.map((part) => (part as { reason: string }).reason)).toEqual(
      paths.map((path) => `"${path}" is outside the scope of intent "INT-1"`),
    );
  });
});

describe("the trace", () => {
  test("one JSON line a write: time, intent id, tool, path, SHA-256 of the new content", async () => {
    const lines: string[] = [];
    const intents = make({
      trace: (line) => lines.push(line),
      now: () => new Date(Date.UTC(2026, 0, 2)),
    });
    await host(intents, [select("INT-1"), write]);
    await intents.recordWrite(write);
    expect(lines.length).toBe(1);
    expect(lines[0]!.endsWith("}\n")).toBe(true);
    expect(JSON.parse(lines[0]!)).toEqual({
      time: "2026-01-02T00:00:00.000Z",
      intentId: "INT-1",
      tool: "write_to_file",
      path: "src/auth/a.ts",
      sha256: createHash("sha256").update("abc").digest("hex"),
    });
  });
});
