/**
 * Telling a model what it has taken on.
 *
 * @module
 */

import type { Intent } from "./intent_policy.ts";
import { sanitizeSurrogates } from "./sanitize_surrogates.ts";

/**
 * An intent as an `<intent_context>` block for the prompt: its id, status, the
 * files it owns, its constraints and acceptance criteria, escaped as XML.
 *
 * @param intent The intent.
 * @returns The block, without a final line end.
 *
 * @example
 * ```ts
 * import { intentContext } from "@millrace/millrace";
 *
 * const block = intentContext({
 *   id: "INT-1",
 *   status: "IN_PROGRESS",
 *   ownedScope: ["src/auth/**"],
 *   constraints: ["Keep <Login> as it is"],
 *   acceptanceCriteria: [],
 * });
 * if (!block.startsWith("<intent_context>\n  <id>INT-1</id>\n")) throw new Error();
 * if (!block.includes("Keep &lt;Login&gt; as it is")) throw new Error();
 * ```
 */
export function intentContext(intent: Intent): string {
  const lines = [
    "<intent_context>",
    ...element("id", intent.id),
    ...intent.name === undefined ? [] : element("name", intent.name),
    ...element("status", intent.status),
    ...list("owned_scope", "file", intent.ownedScope),
    ...list("constraints", "constraint", intent.constraints),
    ...list("acceptance_criteria", "criterion", intent.acceptanceCriteria),
    "</intent_context>",
  ];
  return lines.join("\n");
}

function element(name: string, text: string): string[] {
  return [`  <${name}>${escape(text)}</${name}>`];
}

function list(name: string, item: string, texts: readonly string[]): string[] {
  if (texts.length === 0) return [`  <${name}/>`];
  return [
    `  <${name}>`,
    ...texts.map((text) => `    <${item}>${escape(text)}</${item}>`),
    `  </${name}>`,
  ];
}

function escape(text: string): string {
  return sanitizeSurrogates(text)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    // What XML has no way to write.
    .replace(/[^\t\n\r\P{Cc}]|[\ufffe\uffff]/gu, "\ufffd");
}
