/**
 * Writes samples of every message that Claude Code can print, made from the type
 * declarations of the npm package `@anthropic-ai/claude-agent-sdk`:
 *
 *     tsx test/support/agent_sdk_samples.ts path/to/sdk.d.ts \
 *       > test/adapters/claude_code/agent_sdk_samples.jsonl
 *
 * The package is large and not needed for anything else, so the samples are kept
 * and this is run when a new version comes out. It reads the subset of
 * TypeScript that those declarations are written in.
 */
import { readFileSync } from "node:fs";
import process from "node:process";

/** A type, as far as samples need it. */
type Type =
  | { kind: "object"; fields: Field[] }
  | { kind: "union" | "intersection"; members: Type[] }
  | { kind: "array"; element: Type }
  | { kind: "literal"; value: unknown }
  | { kind: "name"; name: string; arguments: Type[] };

interface Field {
  name: string;
  optional: boolean;
  type: Type;
}

/** Types of other packages, and those that are more than data. */
const KNOWN: Readonly<Record<string, readonly unknown[]>> = {
  UUID: ["00000000-0000-4000-8000-000000000000"],
  string: ["text"],
  number: [1],
  boolean: [true, false],
  unknown: [{ any: "thing" }, null],
  object: [{}],
  undefined: [],
  BetaMessage: [{
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    content: [
      { type: "text", text: "Hi", citations: null },
      { type: "tool_use", id: "toolu_1", name: "Read", input: { path: "a" } },
      { type: "thinking", thinking: "hm", signature: "s" },
      { type: "redacted_thinking", data: "x" },
      { type: "server_tool_use", id: "s1", name: "web_search", input: {} },
    ],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  }],
  MessageParam: [
    { role: "user", content: "Hi" },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "toolu_1", content: "ok" },
        {
          type: "tool_result",
          tool_use_id: "toolu_2",
          content: [{ type: "text", text: "no" }],
          is_error: true,
        },
        { type: "image", source: { type: "url", url: "u" } },
      ],
    },
  ],
  BetaRawMessageStreamEvent: [
    { type: "message_start", message: { id: "msg_1" } },
    {
      type: "content_block_start",
      index: 0,
      content_block: { type: "text", text: "" },
    },
    {
      type: "content_block_delta",
      index: 0,
      delta: { type: "text_delta", text: "Hi" },
    },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" } },
    { type: "message_stop" },
  ],
  NonNullableUsage: [{ input_tokens: 1, output_tokens: 1 }],
  JSONRPCMessage: [{ jsonrpc: "2.0", id: 1, method: "tools/list" }],
};

/** The tokens of a declaration file, comments left out. */
function tokensOf(text: string): string[] {
  const plain = text.replace(/\/\*[\s\S]*?\*\//g, " ").replace(
    /^\s*\/\/.*$/gm,
    "",
  );
  return plain.match(
    /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`[^`]*`|[A-Za-z_$][\w$.]*|-?\d+(?:\.\d+)?|=>|\.\.\.|[^\s]/g,
  ) ?? [];
}

class Reader {
  readonly #tokens: string[];
  #at = 0;

  constructor(tokens: string[], at: number) {
    this.#tokens = tokens;
    this.#at = at;
  }

  get #next(): string {
    return this.#tokens[this.#at] ?? "";
  }

  #take(token: string): boolean {
    if (this.#next !== token) return false;
    this.#at++;
    return true;
  }

  union(): Type {
    this.#take("|");
    const members = [this.#intersection()];
    while (this.#take("|")) members.push(this.#intersection());
    return members.length === 1 ? members[0]! : { kind: "union", members };
  }

  #intersection(): Type {
    const members = [this.#postfix()];
    while (this.#take("&")) members.push(this.#postfix());
    return members.length === 1
      ? members[0]!
      : { kind: "intersection", members };
  }

  #postfix(): Type {
    let type = this.#primary();
    while (this.#next === "[") {
      this.#at++;
      if (this.#take("]")) type = { kind: "array", element: type };
      else {
        // An indexed access, such as `MessageParam['content']`.
        this.union();
        this.#take("]");
        type = { kind: "name", name: "unknown", arguments: [] };
      }
    }
    return type;
  }

  #primary(): Type {
    const token = this.#next;
    this.#at++;
    if (token === "{") return this.#object();
    if (token === "(") {
      const type = this.union();
      this.#take(")");
      return type;
    }
    if (token === "[") {
      // A tuple.
      const members: Type[] = [];
      while (!this.#take("]")) {
        members.push(this.union());
        this.#take(",");
      }
      return {
        kind: "array",
        element: members[0] ?? { kind: "literal", value: 0 },
      };
    }
    if (/^['"`]/.test(token)) {
      return { kind: "literal", value: token.slice(1, -1) };
    }
    if (/^-?\d/.test(token)) return { kind: "literal", value: Number(token) };
    if (token === "true" || token === "false") {
      return { kind: "literal", value: token === "true" };
    }
    if (token === "null") return { kind: "literal", value: null };
    const given: Type[] = [];
    if (this.#take("<")) {
      do given.push(this.union()); while (this.#take(","));
      this.#take(">");
    }
    return { kind: "name", name: token.replace(/^.*\./, ""), arguments: given };
  }

  #object(): Type {
    const fields: Field[] = [];
    while (!this.#take("}")) {
      if (this.#next === "") {
        throw new Error("The declarations end inside a type");
      }
      if (this.#take("[")) {
        // An index signature.
        while (!this.#take("]")) this.#at++;
        this.#take(":");
        this.union();
      } else {
        this.#take("readonly");
        const name = this.#next.replace(/^['"]|['"]$/g, "");
        this.#at++;
        const optional = this.#take("?");
        if (!this.#take(":")) {
          throw new Error(`A field "${name}" without a type`);
        }
        fields.push({ name, optional, type: this.union() });
      }
      this.#take(";");
      this.#take(",");
    }
    return { kind: "object", fields };
  }
}

/** All type declarations of a file, read when asked for. */
class Declarations {
  readonly #tokens: string[];
  readonly #starts = new Map<string, number>();

  constructor(text: string) {
    this.#tokens = tokensOf(text);
    for (const [at, token] of this.#tokens.entries()) {
      if (token !== "type" || this.#tokens[at - 1] !== "declare") continue;
      const name = this.#tokens[at + 1]!;
      if (this.#tokens[at + 2] === "=" && !this.#starts.has(name)) {
        this.#starts.set(name, at + 3);
      }
    }
  }

  type(name: string): Type | undefined {
    const start = this.#starts.get(name);
    return start === undefined
      ? undefined
      : new Reader(this.#tokens, start).union();
  }

  /** The message types in a union type, those of unions in it too. */
  members(name: string): string[] {
    const type = this.type(name);
    if (type?.kind !== "union") return [name];
    if (!type.members.every((member) => member.kind === "name")) return [name];
    return type.members.flatMap((member) =>
      this.members((member as { name: string }).name)
    );
  }

  /** Values of a type: each alternative of each field at least once. */
  samples(type: Type, depth = 0): unknown[] {
    switch (type.kind) {
      case "literal":
        return [type.value];
      case "array": {
        const elements = this.samples(type.element, depth + 1);
        return [elements, []];
      }
      case "union":
        return type.members.flatMap((member) => this.samples(member, depth));
      case "intersection":
        return [Object.assign(
          {},
          ...type.members.map((member) => this.samples(member, depth)[0]),
        )];
      case "object":
        return this.#objects(type.fields, depth);
      case "name": {
        const known = KNOWN[type.name];
        if (known !== undefined) return [...known];
        if (type.name === "Record") {
          return [{ key: this.samples(type.arguments[1]!, depth + 1)[0] }, {}];
        }
        if (type.name === "Array") {
          return [this.samples(type.arguments[0]!, depth + 1)];
        }
        const declared = depth < 6 ? this.type(type.name) : undefined;
        return declared === undefined
          ? [{ unresolved: type.name }]
          : this.samples(declared, depth + 1);
      }
    }
  }

  #objects(fields: Field[], depth: number): unknown[] {
    const values = fields.map((field) => ({
      ...field,
      samples: this.samples(field.type, depth + 1),
    }));
    const make = (
      choose: (field: typeof values[number]) => unknown,
    ): Record<string, unknown> =>
      Object.fromEntries(
        values.map((field) => [field.name, choose(field)]).filter(([, value]) =>
          value !== undefined
        ),
      );
    const first = make((field) =>
      field.optional ? undefined : field.samples[0]
    );
    if (depth > 2) return [make((field) => field.samples[0])];
    const all = [first, make((field) => field.samples[0])];
    for (const field of values) {
      for (const value of field.samples.slice(1)) {
        all.push({ ...first, [field.name]: value });
      }
    }
    return all;
  }
}

const path = process.argv[2];
if (path === undefined) throw new Error("Give the path of sdk.d.ts");
const declarations = new Declarations(readFileSync(path, "utf8"));
for (const name of declarations.members("StdoutMessage")) {
  const type = declarations.type(name);
  if (type === undefined) throw new Error(`There is no type "${name}"`);
  const seen = new Set<string>();
  for (const sample of declarations.samples(type)) {
    const line = JSON.stringify({ name, sample });
    if (seen.has(line)) continue;
    seen.add(line);
    process.stdout.write(`${line}\n`);
  }
}
