import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { approval, askIn } from "../../examples/gates/approval.ts";
import { IntentFiles } from "../../examples/gates/intent_files.ts";
import { pathRules } from "../../examples/gates/path_rules.ts";
import {
  type Intent,
  type Part,
  readParts,
  type ToolCallPart,
  ToolGateStream,
  type ToolPolicy,
} from "../../mod.ts";

const FORMAL = "You must cite a valid active Intent ID";

function call(toolName: string, input: unknown = {}): ToolCallPart {
  return {
    type: "tool-call",
    toolCallId: "1",
    toolName,
    input,
    origin: "native",
  };
}

/** `true` for a call that passes the gate, else the reason. */
async function verdict(
  policy: ToolPolicy,
  one: ToolCallPart,
): Promise<true | string> {
  const gate = new ToolGateStream({ policy });
  for await (const part of readParts<[ToolGateStream]>([one], gate)) {
    return part.type === "tool-blocked" ? part.reason : true;
  }
  throw new Error("nothing came out");
}

/** Runs something with a folder that is gone afterwards. */
async function withFolder(
  use: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "millrace-gates-"));
  try {
    await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function yaml(status: string): string {
  return `# What the agent may do
active_intents:
  - id: INT-1
    name: Move the login
    status: ${status}
    owned_scope:
      - src/auth/**
      - "!src/auth/keys/**"
    constraints: [Keep the old routes]
    acceptance_criteria:
      - Tests pass
`;
}

describe("intents in files", () => {
  const select = call("select_active_intent", { intent_id: "INT-1" });
  const write = call("write_to_file", {
    path: "src/auth/a.ts",
    content: "export {};\n",
  });

  test("the sidecar file decides, and writes leave a trace", async () => {
    await withFolder(async (folder) => {
      const side = join(folder, ".orchestration");
      mkdirSync(side);
      writeFileSync(join(side, "active_intents.yaml"), yaml("IN_PROGRESS"));
      const { intents } = new IntentFiles(folder, { now: () => new Date(0) });
      const { policy } = intents;
      expect(await verdict(policy, write)).toBe(FORMAL);
      expect(await verdict(policy, select)).toBe(true);
      expect(intents.active).toEqual({
        id: "INT-1",
        name: "Move the login",
        status: "IN_PROGRESS",
        ownedScope: ["src/auth/**", "!src/auth/keys/**"],
        constraints: ["Keep the old routes"],
        acceptanceCriteria: ["Tests pass"],
      });
      expect(await verdict(policy, write)).toBe(true);
      expect(
        await verdict(
          policy,
          call("write_to_file", { path: "src/auth/keys/a", content: "" }),
        ),
      ).toContain("outside the scope");
      await intents.recordWrite(write);
      await intents.recordWrite(write, { content: "other" });
      const hash = (text: string): string =>
        createHash("sha256").update(text).digest("hex");
      const line = {
        time: "1970-01-01T00:00:00.000Z",
        intentId: "INT-1",
        tool: "write_to_file",
        path: "src/auth/a.ts",
      };
      expect(
        readFileSync(join(side, "agent_trace.jsonl"), "utf8").split("\n"),
      ).toEqual([
        JSON.stringify({ ...line, sha256: hash("export {};\n") }),
        JSON.stringify({ ...line, sha256: hash("other") }),
        "",
      ]);
    });
  });

  test("a file that is missing or broken blocks", async () => {
    await withFolder(async (folder) => {
      const { policy } = new IntentFiles(folder).intents;
      expect(await verdict(policy, select)).toContain("The policy failed");
      const side = join(folder, ".orchestration");
      mkdirSync(side);
      for (const text of ["active_intents: [", "a: &a [*a, *a]", "", "- 1"]) {
        writeFileSync(join(side, "active_intents.yaml"), text);
        expect(await verdict(policy, select)).toContain("The policy failed");
        expect(await verdict(policy, write)).toBe(FORMAL);
      }
    });
  });

  test("a change is seen while nobody asks", async () => {
    await withFolder(async (folder) => {
      const side = join(folder, ".orchestration");
      mkdirSync(side);
      const path = join(side, "active_intents.yaml");
      writeFileSync(path, yaml("IN_PROGRESS"));
      const heard: (string | undefined)[] = [];
      let hear = (): void => {};
      const next = (): Promise<void> => new Promise((done) => hear = done);
      const files = new IntentFiles(folder, {
        onReload: (news) => {
          heard.push(
            news instanceof Error
              ? "failed"
              : (news as readonly Intent[])[0]?.status,
          );
          hear();
        },
      });
      await files.watch();
      try {
        const { policy } = files.intents;
        expect(await verdict(policy, select)).toBe(true);
        let changed = next();
        writeFileSync(path, yaml("done"));
        await changed;
        expect(await verdict(policy, write)).toBe(FORMAL);
        changed = next();
        writeFileSync(path, yaml("in progress"));
        await changed;
        expect(await verdict(policy, write)).toBe(true);
        changed = next();
        writeFileSync(path, "active_intents: [");
        await changed;
        expect(await verdict(policy, write)).toBe(FORMAL);
        expect([...new Set(heard)]).toEqual(["done", "in progress", "failed"]);
      } finally {
        files.close();
      }
    });
  });
});

describe("an allow list with path rules", () => {
  test("tools that are not in it do not run", async () => {
    const policy = pathRules("/p", { list_files: "anything" });
    expect(await verdict(policy, call("list_files"))).toBe(true);
    for (const name of ["rm", "constructor", "__proto__"]) {
      expect(await verdict(policy, call(name))).toBe(
        `"${name}" is not allowed`,
      );
    }
  });

  test("paths have to be in the tool's folders", async () => {
    await withFolder(async (folder) => {
      mkdirSync(join(folder, "p/src/deep"), { recursive: true });
      mkdirSync(join(folder, "p/source"));
      writeFileSync(join(folder, "secret"), "");
      const workspace = join(folder, "p");
      const policy = pathRules(workspace, {
        write: ["src", "docs"],
        read: ["."],
      });
      for (
        const path of [
          "src/a.ts",
          "./src/deep/../b.ts",
          "docs/new/a.md",
          join(workspace, "src/a.ts"),
          "src/..a",
        ]
      ) {
        expect([path, await verdict(policy, call("write", { path }))])
          .toEqual([path, true]);
      }
      for (
        const path of [
          "a.ts",
          "source/a.ts",
          "src/../a.ts",
          "../p2/src/a.ts",
          "/etc/passwd",
          join(folder, "secret"),
          "",
          7,
          null,
        ]
      ) {
        expect([path, await verdict(policy, call("write", { path }))])
          .toEqual([path, `"write" may not touch ${JSON.stringify(path)}`]);
      }
      expect(await verdict(policy, call("read", { path: "a.ts" }))).toBe(true);
      expect(await verdict(policy, call("read", { path: "../secret" })))
        .toContain("may not touch");
      expect(
        await verdict(
          policy,
          call("write", {
            source: "src/a.ts",
            destination: "b.ts",
          }),
        ),
      ).toContain('"b.ts"');
      expect(await verdict(policy, call("write", {})))
        .toBe('Cannot tell which file "write" would touch');
    });
  });

  test("links do not lead out", async () => {
    await withFolder(async (folder) => {
      const workspace = join(folder, "p");
      mkdirSync(join(workspace, "src"), { recursive: true });
      symlinkSync(folder, join(workspace, "src/out"));
      symlinkSync(join(folder, "nothing"), join(workspace, "src/dangling"));
      const policy = pathRules(workspace, { write: ["src"] });
      expect(await verdict(policy, call("write", { path: "src/out/a.ts" })))
        .toBe('"write" may not touch "src/out/a.ts"');
      expect(await verdict(policy, call("write", { path: "src/dangling" })))
        .toContain("The policy failed");
    });
  });
});

describe("an approval prompt", () => {
  test("nothing passes and nothing is read ahead until it is answered", async () => {
    let pulled = 0;
    const source = new ReadableStream<Part>({
      pull(controller) {
        controller.enqueue(call(pulled++ === 0 ? "rm" : "read"));
        if (pulled === 40) controller.close();
      },
    }, { highWaterMark: 0 });
    const asked: string[] = [];
    let answer!: (answer: "once") => void;
    const gate = new ToolGateStream({
      policy: approval({
        ask: ({ toolName }) => {
          asked.push(toolName);
          return new Promise((resolve) => answer = resolve);
        },
        free: ["read"],
      }),
    });
    const reader = source.pipeThrough(gate).getReader();
    let first: Part | undefined;
    const reading = reader.read().then(({ value }) => first = value);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(first).toBe(undefined);
    expect(asked).toEqual(["rm"]);
    expect(pulled).toBeLessThanOrEqual(4);
    answer("once");
    await reading;
    expect(first).toEqual(call("rm"));
    let count = 1;
    while (!(await reader.read()).done) count++;
    expect(count).toBe(40);
    expect(asked).toEqual(["rm"]);
  });

  test("once, always, no, and a prompt that fails", async () => {
    const answers: unknown[] = ["once", "no", "always"];
    let asked = 0;
    const policy = approval({
      ask: () => {
        const answer = answers[asked++];
        return answer === undefined
          ? Promise.reject(new Error("no terminal"))
          : Promise.resolve(answer as "no");
      },
    });
    expect(await verdict(policy, call("rm"))).toBe(true);
    expect(await verdict(policy, call("rm"))).toBe(
      "The user does not want this",
    );
    expect(await verdict(policy, call("rm"))).toBe(true);
    expect(await verdict(policy, call("rm"))).toBe(true);
    expect(asked).toBe(3);
    expect(await verdict(policy, call("mv"))).toBe(
      "The policy failed: no terminal",
    );
  });

  test("in a terminal, which the question cannot lead astray", async () => {
    const output = new PassThrough();
    let shown = "";
    output.on("data", (chunk) => shown += chunk);
    const ask = (typed: string) => {
      const input = new PassThrough();
      input.end(typed);
      return askIn(input, output)(
        call("rm\u202e", { path: "\u001b[2K\u009b2K\u2066" }),
      );
    };
    expect(await ask("y\n")).toBe("once");
    expect(await ask(" Always \n")).toBe("always");
    expect(await ask("n\n")).toBe("no");
    expect(await ask("\n")).toBe("no");
    expect(await ask("yesterday\n")).toBe("no");
    expect(await ask("")).toBe("no");
    expect(shown).toContain(
      'Run rm\\u202e {"path":"\\u001b[2K\\u009b2K\\u2066"}? ',
    );
    // deno-lint-ignore no-control-regex
    expect(shown).not.toMatch(/[\x1b\x9b\u202e\u2066]/);
  });
});
