/**
 * A person decides over every call. While they think, nothing passes the gate, and
 * the model's stream is not read any further.
 *
 *     const policy = approval({
 *       ask: askIn(process.stdin, process.stdout),
 *       free: ["read_file"],
 *     });
 */
import { createInterface } from "node:readline/promises";
import type { ToolCallPart, ToolPolicy } from "../../mod.ts";

/** What a person says: yes to this call, to this tool from now on, or no. */
export type Answer = "once" | "always" | "no";

/** Options of {@linkcode approval}. */
export interface ApprovalOptions {
  /** Asks. Failing is a no. */
  ask: (call: ToolCallPart) => PromiseLike<Answer>;
  /** Tools that are not asked about. */
  free?: readonly string[];
}

/** A policy that asks. */
export function approval({ ask, free = [] }: ApprovalOptions): ToolPolicy {
  const allowed = new Set(free);
  return async (call) => {
    const { toolName } = call;
    if (allowed.has(toolName)) return true;
    const answer = await ask(call);
    if (answer === "always") allowed.add(toolName);
    return {
      allow: answer === "once" || answer === "always",
      reason: "The user does not want this",
    };
  };
}

/** What a terminal could take for a command, or show in another order. */
// deno-lint-ignore no-control-regex
const HIDDEN = /[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Asks in a terminal. Its end is a no. */
export function askIn(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): ApprovalOptions["ask"] {
  return async ({ toolName, input: parameters }) => {
    const question = `${toolName} ${JSON.stringify(parameters)}`.replace(
      HIDDEN,
      (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
    const terminal = createInterface({ input, output });
    const ended = new Promise<string>((resolve) =>
      terminal.once("close", () => resolve(""))
    );
    const answer = await Promise.race([
      terminal.question(`Run ${question}? [y]es, [a]lways, [N]o: `),
      ended,
    ]);
    terminal.close();
    const word = answer.trim().toLowerCase();
    if (word === "a" || word === "always") return "always";
    return word === "y" || word === "yes" ? "once" : "no";
  };
}
