import { describe, expect, test } from "vitest";
import {
  intentContext,
  IntentPolicy,
  type IntentPolicyOptions,
  type Part,
  readParts,
  type ToolCallPart,
  ToolGateStream,
} from "../../mod.ts";

const FORMAL = "You must cite a valid active Intent ID";

const file = {
  active_intents: [
    {
      id: "INT-001",
      name: "JWT <migration>",
      status: "IN_PROGRESS",
      owned_scope: [
        "src/auth/**",
        "src/middleware/jwt.ts",
        "!src/auth/keys/**",
      ],
      constraints: ["No external provider & no new table"],
      acceptance_criteria: ["Tests pass"],
    },
    { id: "INT-002", status: "done", owned_scope: ["**"] },
    { id: 3, status: "in progress" },
  ],
};

function call(toolName: string, input: unknown = {}): ToolCallPart {
  return {
    type: "tool-call",
    toolCallId: "1",
    toolName,
    input,
    origin: "native",
  };
}

const select = (id: unknown) => call("select_active_intent", { intent_id: id });
const write = (path: unknown) => call("write_to_file", { path, content: "x" });

/** `true` for a call that passes the gate, else the reason. */
async function verdict(
  intents: IntentPolicy,
  one: ToolCallPart,
): Promise<true | string> {
  const gate = new ToolGateStream({ policy: intents.policy });
  for await (const part of readParts<[ToolGateStream]>([one as Part], gate)) {
    return part.type === "tool-blocked" ? part.reason : true;
  }
  throw new Error("nothing came out");
}

function make(options: Partial<IntentPolicyOptions> = {}): IntentPolicy {
  return new IntentPolicy({ load: () => file, ...options });
}

describe("IntentPolicy", () => {
  test("destructive tools are blocked until a valid intent is selected", async () => {
    const intents = make();
    expect(await verdict(intents, write("src/auth/a.ts"))).toBe(FORMAL);
    expect(await verdict(intents, call("execute_command"))).toBe(FORMAL);
    expect(await verdict(intents, call("read_file"))).toBe(true);
    expect(await verdict(intents, call("constructor"))).toBe(true);
    for (
      const id of ["INT-999", "INT-002", "", undefined, null, {}, "int-001"]
    ) {
      expect(await verdict(intents, select(id))).toBe(FORMAL);
      expect(await verdict(intents, write("src/auth/a.ts"))).toBe(FORMAL);
    }
    expect(await verdict(intents, select("INT-001"))).toBe(true);
    expect(intents.active?.id).toBe("INT-001");
    expect(await verdict(intents, write("src/auth/a.ts"))).toBe(true);
    expect(await verdict(intents, call("execute_command"))).toBe(true);
  });

  test("a handshake that fails ends the one before", async () => {
    const intents = make();
    await verdict(intents, select("INT-001"));
    expect(await verdict(intents, select("INT-999"))).toBe(FORMAL);
    expect(intents.active).toBe(undefined);
    expect(await verdict(intents, call("execute_command"))).toBe(FORMAL);
  });

  test("writes outside of the scope are blocked", async () => {
    const intents = make({ workspace: "/home/me/p" });
    await verdict(intents, select("INT-001"));
    const allowed = [
      "src/auth/a.ts",
      "./src/auth/deep/b.ts",
      "src\\auth\\a.ts",
      "src/other/../auth/a.ts",
      "src/middleware/jwt.ts",
      "/home/me/p/src/auth/a.ts",
    ];
    for (const path of allowed) {
      expect([path, await verdict(intents, write(path))]).toEqual([path, true]);
    }
    const outside = [
      "src/a.ts",
      "src/auth/../a.ts",
      "src/auth/../../../etc/passwd",
      "src/auth/keys/private.pem",
      "src/auth/.env",
      "/src/auth/a.ts",
      "/home/me/q/src/auth/a.ts",
      "C:\\src\\auth\\a.ts",
      "~/src/auth/a.ts",
      "SRC/auth/a.ts",
      "",
      42,
      null,
    ];
    for (const path of outside) {
      expect([path, await verdict(intents, write(path))]).toEqual([
        path,
        `${JSON.stringify(path)} is outside the scope of intent "INT-001"`,
      ]);
    }
    expect(
      await verdict(
        intents,
        call("write_to_file", {
          path: "src/auth/a.ts",
          file_path: "/etc/passwd",
        }),
      ),
    ).toContain("outside the scope");
    for (const input of [{}, null, "src/auth/a.ts", []]) {
      expect(await verdict(intents, call("write_to_file", input)))
        .toBe('Cannot tell which file "write_to_file" would write');
    }
    // An intent that owns nothing.
    await verdict(intents, select("3"));
    expect(await verdict(intents, write("a"))).toContain("outside the scope");
  });

  test("the handshake's id goes by several names, the first one counts", async () => {
    for (const key of ["intent_id", "intentId", "id"]) {
      const intents = make();
      const one = call("select_active_intent", { [key]: "INT-001" });
      expect([key, await verdict(intents, one)]).toEqual([key, true]);
      expect(await verdict(intents, write("src/auth/a"))).toBe(true);
      const none = call("select_active_intent", {
        [key]: "INT-999",
        id: key === "id" ? "INT-999" : "INT-001",
      });
      expect([key, await verdict(intents, none)]).toEqual([key, FORMAL]);
      expect(await verdict(intents, write("src/auth/a"))).toBe(FORMAL);
    }
    const intents = make();
    expect(
      await verdict(
        intents,
        call("select_active_intent", { name: "INT-001" }),
      ),
    ).toBe(FORMAL);
  });

  test("tools, their paths and the handshake are configurable", async () => {
    const intents = make({
      tools: { patch: "write", rm: "write" },
      handshakeTool: "cite",
      pathsOf: (one) => (one.input as { files: string[] }).files,
    });
    expect(await verdict(intents, write("/etc/passwd"))).toBe(true);
    expect(await verdict(intents, call("patch", { files: [] }))).toBe(FORMAL);
    expect(await verdict(intents, call("cite", { intent_id: "INT-001" }))).toBe(
      true,
    );
    const files = ["src/auth/a", "src/auth/b"];
    expect(await verdict(intents, call("patch", { files }))).toBe(true);
    expect(await verdict(intents, call("patch", { files: [...files, "c"] })))
      .toContain('"c" is outside');
    // Where pathsOf fails, the gate closes.
    expect(await verdict(intents, call("patch", null)))
      .toContain("The policy failed");
  });

  test("the list is read at every handshake and on request", async () => {
    let status = "in_progress";
    const intents = make({
      load: () => Promise.resolve([{ id: "A", status, owned_scope: ["*"] }]),
    });
    expect(await verdict(intents, select("A"))).toBe(true);
    status = "done";
    expect(await verdict(intents, write("a"))).toBe(true);
    await intents.reload();
    expect(await verdict(intents, write("a"))).toBe(FORMAL);
    expect(await verdict(intents, select("A"))).toBe(FORMAL);
    status = "In-Progress";
    expect(await verdict(intents, select("A"))).toBe(true);
  });

  test("while the list is read again, the one from before counts", async () => {
    const pending: ((status: string) => void)[] = [];
    let waits = false;
    const intents = make({
      load: () => {
        const list = (status: string) => [{
          id: "A",
          status,
          owned_scope: ["*"],
        }];
        if (!waits) return list("in_progress");
        return new Promise((resolve) =>
          pending.push((status) => resolve(list(status)))
        );
      },
    });
    expect(await verdict(intents, select("A"))).toBe(true);
    waits = true;
    const first = intents.reload();
    const second = intents.reload();
    expect(await verdict(intents, write("a"))).toBe(true);
    // The second has read the newer file, and is done first.
    pending[1]!("done");
    expect((await second)[0]?.status).toBe("done");
    expect(await verdict(intents, write("a"))).toBe(FORMAL);
    pending[0]!("in_progress");
    expect((await first)[0]?.status).toBe("done");
    expect(await verdict(intents, write("a"))).toBe(FORMAL);
  });

  test("a list that cannot be read blocks", async () => {
    const broken: [unknown, string][] = [
      [null, 'no list under "active_intents"'],
      [{ active_intents: {} }, "no list"],
      [["x"], "intent 0 is no object"],
      [[{ id: "", status: "x" }], "id of intent 0 is no text"],
      [[{ id: "a" }], "status of intent 0 is no text"],
      [
        [{ id: "a", status: "x", owned_scope: "src" }],
        "owned_scope of intent 0 are no list",
      ],
      [[{ id: "a", status: "x", owned_scope: ["/etc"] }], 'pattern "/etc"'],
      [
        [{ id: "a", status: "x" }, { id: "a", status: "y" }],
        '"a" is in them twice',
      ],
    ];
    for (const [value, message] of broken) {
      const intents = make({ load: () => value });
      const reason = await verdict(intents, select("a"));
      expect(reason).toContain("The policy failed: ");
      expect(reason).toContain(message);
      expect(await verdict(intents, write("a"))).toBe(FORMAL);
      await expect(intents.reload()).rejects.toThrow(TypeError);
    }
    let fails = false;
    const intents = make({
      load: () => {
        if (fails) throw new Error("gone");
        return file;
      },
    });
    expect(await verdict(intents, select("INT-001"))).toBe(true);
    fails = true;
    await expect(intents.reload()).rejects.toThrow("gone");
    expect(await verdict(intents, write("src/auth/a.ts"))).toBe(FORMAL);
    expect(() => new IntentPolicy({} as never)).toThrow(TypeError);
  });

  test("writes are traced with the hash of the new content", async () => {
    const lines: string[] = [];
    const intents = make({
      trace: (line) => lines.push(line),
      now: () => new Date(0),
      workspace: "/p",
    });
    await expect(intents.recordWrite(write("a"))).rejects.toThrow(
      "no intent is selected",
    );
    await verdict(intents, select("INT-001"));
    const trace = await intents.recordWrite(
      call("write_to_file", { path: "/p/src/auth/a.ts", content: "abc" }),
    );
    expect(trace).toEqual({
      time: "1970-01-01T00:00:00.000Z",
      intentId: "INT-001",
      tool: "write_to_file",
      path: "src/auth/a.ts",
      sha256:
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    });
    expect(lines).toEqual([`${JSON.stringify(trace)}\n`]);
    const bytes = new TextEncoder().encode("abc");
    const given = await intents.recordWrite(call("patch"), {
      path: "b\n".trim(),
      content: bytes,
    });
    expect([given.path, given.sha256]).toEqual(["b", trace.sha256]);
    await expect(intents.recordWrite(call("patch", { path: "b" })))
      .rejects.toThrow('"b": its new content is not given');
    await expect(intents.recordWrite(write("../b"))).rejects.toThrow(
      '"../b" is no path in the workspace',
    );
  });
});

describe("intentContext", () => {
  test("gives XML that keeps to its form", async () => {
    const intents = make();
    await verdict(intents, select("INT-001"));
    expect(intentContext(intents.active!)).toBe(`<intent_context>
  <id>INT-001</id>
  <name>JWT &lt;migration&gt;</name>
  <status>IN_PROGRESS</status>
  <owned_scope>
    <file>src/auth/**</file>
    <file>src/middleware/jwt.ts</file>
    <file>!src/auth/keys/**</file>
  </owned_scope>
  <constraints>
    <constraint>No external provider &amp; no new table</constraint>
  </constraints>
  <acceptance_criteria>
    <criterion>Tests pass</criterion>
  </acceptance_criteria>
</intent_context>`);
    expect(intentContext({
      id: "</id>\u0000\ud83d\uffff\t",
      status: "x",
      ownedScope: [],
      constraints: [],
      acceptanceCriteria: [],
    })).toBe(`<intent_context>
  <id>&lt;/id&gt;\ufffd\ufffd\ufffd\t</id>
  <status>x</status>
  <owned_scope/>
  <constraints/>
  <acceptance_criteria/>
</intent_context>`);
  });
});
