/**
 * A policy by which an agent changes nothing before it has said what for.
 *
 * @module
 */

import { compileGlobs } from "./internal/glob.ts";
import { normalizePath } from "./internal/normalize_path.ts";
import { parseIntents } from "./internal/parse_intents.ts";
import type { ToolCallPart } from "./part.ts";
import type { ToolPolicy, ToolVerdict } from "./tool_gate.ts";

/** Something an agent is meant to do, as the sidecar file has it. */
export interface Intent {
  /** What calls cite. */
  readonly id: string;
  /** What it is called. */
  readonly name?: string;
  /** Where it stands. Only one that is in progress can be selected. */
  readonly status: string;
  /** Globs of the files it may change (`owned_scope`). */
  readonly ownedScope: readonly string[];
  /** What has to be kept to. */
  readonly constraints: readonly string[];
  /** When it is done (`acceptance_criteria`). */
  readonly acceptanceCriteria: readonly string[];
}

/** One line of the trace. */
export interface IntentTrace {
  /** When the write was recorded, in ISO 8601. */
  time: string;
  /** The intent it was for. */
  intentId: string;
  /** The tool that wrote. */
  tool: string;
  /** The file, below the workspace. */
  path: string;
  /** SHA-256 of its new content, in hexadecimal digits. */
  sha256: string;
}

/** Options of {@linkcode IntentPolicy}. */
export interface IntentPolicyOptions {
  /**
   * Reads `.orchestration/active_intents.yaml` and gives what it holds, parsed: a list of intents
   * `{id, status, owned_scope, constraints, acceptance_criteria}`, or an object with one under
   * `active_intents`. Called at every handshake and by {@linkcode IntentPolicy.reload}.
   */
  load: () => unknown;
  /**
   * The tools that change something: those that write files, whose paths have to be in the
   * intent's scope, and those that run commands, which have no path to check. All
   * others pass.
   *
   * @default {{ write_to_file: "write", execute_command: "command" }}
   */
  tools?: Readonly<Record<string, "write" | "command">>;
  /**
   * The tool by which an intent is selected; its input has the id as `intent_id`.
   *
   * @default {"select_active_intent"}
   */
  handshakeTool?: string;
  /**
   * Which files a call writes. A call of which that cannot be told is blocked.
   *
   * @default {what the input has as path, file_path, filePath, filename, target_file}
   */
  pathsOf?: (call: ToolCallPart) => readonly string[];
  /**
   * The workspace's absolute path, for calls with absolute paths. Without it
   * these are outside of every scope.
   */
  workspace?: string;
  /**
   * Takes the lines of the trace (`agent_trace.jsonl`), each with its line end.
   */
  trace?: (line: string) => unknown;
  /**
   * The clock of the trace.
   *
   * @default {the system's}
   */
  now?: () => Date;
}

/** The formal error of a call without a valid intent. */
const NO_INTENT = "You must cite a valid active Intent ID";

/** Where inputs have the path of the file to write. */
const PATH_KEYS: readonly string[] = [
  "path",
  "file_path",
  "filePath",
  "filename",
  "target_file",
];

/** Where inputs have a file's new content. */
const CONTENT_KEYS: readonly string[] = ["content", "file_text", "contents"];

/**
 * A policy for the tool gate: a two-stage handshake. Tools that change something
 * are blocked, with "You must cite a valid active Intent ID", until the model has
 * called `select_active_intent` with the id of an intent that is known and in progress.
 * Then those that write files may do so within the intent's `owned_scope`.
 *
 * - The file of intents is read again at every handshake. A handshake that fails
 *   ends the one before.
 * - When the list is reloaded and the intent is no longer in progress, its calls are
 *   blocked again.
 * - Scopes are globs (`src/auth/**`, `*.{ts,tsx}`, `!src/auth/keys/**`), relative to the
 *   workspace. Paths are normalised; what leads outside by `..` or is absolute and not
 *   below `workspace` never matches. Symbolic links are not seen: whoever
 *   opens the file has to.
 *
 * Construction throws a `TypeError` without `load`.
 *
 * @example
 * ```ts
 * import { IntentPolicy, type Part, readParts, ToolGateStream } from "@millrace/millrace";
 *
 * const lines: string[] = [];
 * const intents = new IntentPolicy({
 *   load: () => [{ id: "INT-1", status: "IN_PROGRESS", owned_scope: ["src/**"] }],
 *   trace: (line) => lines.push(line),
 * });
 * const call = (toolName: string, input: unknown): Part => {
 *   return { type: "tool-call", toolCallId: toolName, toolName, input, origin: "native" };
 * };
 * const write = { path: "src/a.ts", content: "export {};\n" };
 * const seen: string[] = [];
 * const calls = [
 *   call("write_to_file", write),
 *   call("select_active_intent", { intent_id: "INT-1" }),
 *   call("write_to_file", write),
 *   call("write_to_file", { ...write, path: "src/../../etc/passwd" }),
 * ];
 * for await (const part of readParts(calls, new ToolGateStream({ policy: intents.policy }))) {
 *   seen.push(part.type === "tool-blocked" ? part.reason : part.type);
 *   if (part.type === "tool-call" && part.toolName === "write_to_file") {
 *     // After the host has run it:
 *     await intents.recordWrite(part);
 *   }
 * }
 * if (seen[0] !== "You must cite a valid active Intent ID") throw new Error();
 * if (seen[1] !== "tool-call" || seen[2] !== "tool-call") throw new Error();
 * if (seen[3] !== '"src/../../etc/passwd" is outside the scope of intent "INT-1"') throw new Error();
 * if (JSON.parse(lines[0]!).path !== "src/a.ts") throw new Error();
 * ```
 */
export class IntentPolicy {
  /** The policy, for the gate's options. */
  readonly policy: ToolPolicy;
  readonly #options: IntentPolicyOptions;
  #intents: readonly Intent[] = [];
  /** How many readings have begun, and which of them the list is from. */
  #readings = 0;
  #reading = 0;
  #activeId: string | undefined;

  /**
   * Makes a policy. No intent is selected yet, and nothing is read.
   *
   * @param options See {@linkcode IntentPolicyOptions}.
   */
  constructor(options: IntentPolicyOptions) {
    if (typeof options?.load !== "function") {
      throw new TypeError(
        "Cannot make an intent policy: the options need load, a function",
      );
    }
    this.#options = options;
    this.policy = (call) => this.#check(call);
  }

  /** The intent that is selected, as long as it is in progress. */
  get active(): Intent | undefined {
    return this.#intents.find((intent) =>
      intent.id === this.#activeId && isInProgress(intent)
    );
  }

  /**
   * Reads the intents again. Until they are there, those from before count. Rejects with a
   * `TypeError` when they are not as they should be, and with whatever `load` throws; then no
   * intent is known, and everything that changes something is blocked.
   *
   * @returns The intents; where readings overlap, those of the one that began last.
   */
  async reload(): Promise<readonly Intent[]> {
    const reading = ++this.#readings;
    let intents: readonly Intent[] = [];
    try {
      intents = parseIntents(await this.#options.load());
    } finally {
      // A slow reading must not undo one that began after it.
      if (reading > this.#reading) {
        this.#reading = reading;
        this.#intents = intents;
      }
    }
    return this.#intents;
  }

  /**
   * Writes a line of the trace, after a write was done.
   *
   * Rejects with an `Error` when no intent is selected, with a `TypeError` when path or content
   * cannot be told from the call and are not given, and with whatever `trace` throws.
   *
   * @param call The call that was run.
   * @param written What the file holds now and which it is, when the input does not say so.
   * @returns What was written.
   */
  async recordWrite(
    call: ToolCallPart,
    written: { content?: string | Uint8Array; path?: string } = {},
  ): Promise<IntentTrace> {
    const { active } = this;
    if (active === undefined) {
      throw new Error("Cannot trace a write: no intent is selected");
    }
    const given = written.path ?? this.#pathsOf(call)[0];
    const path = normalizePath(given, this.#options.workspace);
    const content = written.content ?? fieldOf(call.input, CONTENT_KEYS)[0];
    if (path === undefined) {
      throw new TypeError(
        `Cannot trace a write: "${given}" is no path in the workspace`,
      );
    }
    if (typeof content !== "string" && !(content instanceof Uint8Array)) {
      throw new TypeError(
        `Cannot trace a write of "${path}": its new content is not given`,
      );
    }
    const trace: IntentTrace = {
      time: (this.#options.now?.() ?? new Date()).toISOString(),
      intentId: active.id,
      tool: call.toolName,
      path,
      sha256: await sha256(content),
    };
    await this.#options.trace?.(`${JSON.stringify(trace)}\n`);
    return trace;
  }

  async #check(call: ToolCallPart): Promise<ToolVerdict> {
    const {
      tools = { write_to_file: "write", execute_command: "command" },
      handshakeTool = "select_active_intent",
    } = this.#options;
    if (call.toolName === handshakeTool) return await this.#select(call);
    if (!Object.hasOwn(tools, call.toolName)) return true;
    const { active } = this;
    if (active === undefined) return { allow: false, reason: NO_INTENT };
    if (tools[call.toolName] === "command") return true;
    const paths = this.#pathsOf(call);
    if (paths.length === 0) {
      return {
        allow: false,
        reason: `Cannot tell which file "${call.toolName}" would write`,
      };
    }
    const inScope = compileGlobs(active.ownedScope);
    for (const path of paths) {
      const normal = normalizePath(path, this.#options.workspace);
      if (normal === undefined || !inScope(normal)) {
        return {
          allow: false,
          reason: `${
            JSON.stringify(path)
          } is outside the scope of intent "${active.id}"`,
        };
      }
    }
    return true;
  }

  async #select(call: ToolCallPart): Promise<ToolVerdict> {
    this.#activeId = undefined;
    await this.reload();
    const [id] = fieldOf(call.input, ["intent_id", "intentId", "id"]);
    const intent = this.#intents.find((one) => one.id === id);
    if (intent === undefined || !isInProgress(intent)) {
      return { allow: false, reason: NO_INTENT };
    }
    this.#activeId = intent.id;
    return true;
  }

  #pathsOf(call: ToolCallPart): readonly string[] {
    // Whatever is under a path's name has to be in scope, also what is no text.
    return this.#options.pathsOf?.(call) ??
      fieldOf(call.input, PATH_KEYS) as string[];
  }
}

function isInProgress(intent: Intent): boolean {
  return /^in[ _-]?progress$/i.test(intent.status);
}

/** All that an input has under these keys. */
function fieldOf(input: unknown, keys: readonly string[]): unknown[] {
  if (typeof input !== "object" || input === null) return [];
  return keys.filter((key) => Object.hasOwn(input, key))
    .map((key) => (input as Record<string, unknown>)[key]);
}

async function sha256(content: string | Uint8Array): Promise<string> {
  const bytes = typeof content === "string"
    ? new TextEncoder().encode(content)
    : content;
  const digest = await crypto.subtle.digest("SHA-256", bytes as BufferSource);
  return Array.from(
    new Uint8Array(digest),
    (byte) => byte.toString(16).padStart(2, "0"),
  ).join("");
}
