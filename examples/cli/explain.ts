import type { Part } from "../../mod.ts";
import type { Message, SessionWarning } from "../../adapters/sessions/mod.ts";
import type { Held } from "../probe.ts";
import { harmless } from "./style.ts";

/** What a stage waits for when it holds text. */
const WAITS_FOR: Readonly<Record<string, string>> = {
  sanitizer: "half of a surrogate pair",
  salvager: "may become a tool call",
  fences: "may become a fence, or part of its line",
  directives: "may become a directive",
  snippets: "may be indentation inside a container",
};

function line(offset: number | undefined, what: string, why: string): string {
  const place = harmless(`${offset ?? "-"}`).padStart(8);
  return `${place}  ${harmless(what).padEnd(16)}  ${
    harmless(why).replaceAll("\n", "\u2424")
  }\n`;
}

/** Says what was decided: one line a decision. */
export class Explainer {
  #held: Held[] = [];
  #inReasoning = false;

  /** What came out of one push, and what is held now. */
  parts(parts: readonly Part[], held: Held[]): string {
    const lines = parts.map((part) => this.#part(part)).join("");
    const before = this.#held;
    this.#held = held;
    return lines + held.map((now, index) => {
      const then = before[index];
      if (now.length > 0 && now.start !== (then?.length ? then.start : -1)) {
        return line(
          now.start,
          "held",
          `${now.name}: ${JSON.stringify(now.text)} ${
            WAITS_FOR[now.name] ?? "may become markup"
          }`,
        );
      }
      return then !== undefined && then.length > 0 && now.length === 0 &&
          isTextAgain(parts, then)
        ? line(then.start, "released", `${now.name}: it is text`)
        : "";
    }).join("");
  }

  #part(part: Part): string {
    const wasReasoning = this.#inReasoning;
    this.#inReasoning = part.type === "reasoning";
    if (this.#inReasoning) {
      return wasReasoning ? "" : line(undefined, "reasoning", "begins");
    }
    return (wasReasoning ? line(undefined, "reasoning", "ends") : "") +
      explainPart(part);
  }
}

/** Whether what was held came out as text, and not as something that has a line. */
function isTextAgain(parts: readonly Part[], { start }: Held): boolean {
  return parts.some((part) =>
    part.type === "text" && part.code !== "marker" && part.start <= start &&
    start < part.start + part.text.length
  );
}

/** A line for a part, or `""` for a part that decides nothing. */
function explainPart(part: Part): string {
  switch (part.type) {
    case "fence-start":
      return line(
        part.fence.start,
        "fence opens",
        `${part.fence.marker} ${part.fence.info}`,
      );
    case "fence-end":
      return line(
        part.end,
        "fence ends",
        part.closed ? "closing line" : "its container or the stream ended",
      );
    case "directive-start":
      return line(part.start, "directive opens", `<${part.name}>`);
    case "directive":
      return line(
        part.end,
        "directive ends",
        part.complete ? `</${part.name}>` : "the stream ended",
      );
    case "tool-input-start":
      return line(undefined, "call opens", `${part.toolName}, sent in pieces`);
    case "tool-call":
      return part.origin === "salvaged"
        ? line(
          part.start,
          "call salvaged",
          `${part.toolName}, dialect ${part.dialect}${
            part.repairs.length === 0
              ? ""
              : `, repaired: ${part.repairs.join(", ")}`
          }`,
        )
        : line(undefined, "call", `${part.toolName}, sent by the provider`);
    case "tool-call-partial":
      return line(
        undefined,
        "call cut",
        `${part.toolName ?? "?"}: must not run`,
      );
    case "tool-result":
      return line(undefined, "result", `of call ${part.toolCallId}`);
    case "tool-blocked":
      return line(part.start, "call blocked", part.reason);
    case "snippet":
      return line(
        part.start,
        "snippet",
        `${
          part.filePath === undefined
            ? "no file named"
            : `${part.filePath}, found in ${part.pathSource ?? "the call"}`
        }${part.closed ? "" : ", cut"}`,
      );
    case "warning":
      return line(part.start, part.code, part.message);
    case "error":
      return line(undefined, "error", part.error.message);
    case "raw":
      return line(
        undefined,
        "raw",
        `passed on, not known: ${
          (JSON.stringify(part.value) ?? "").slice(0, 60)
        }`,
      );
    case "finish":
      return line(
        undefined,
        "finish",
        `${part.reason}${
          part.rawReason === undefined ? "" : ` (${part.rawReason})`
        }${part.complete ? "" : ", no terminal marker"}`,
      );
    default:
      return "";
  }
}

/** The lines for a stored message: the offset is its line or element. */
export function explainMessage(message: Message): string {
  const place = message.line ?? message.index;
  const { role, origin, blocks, revision, sidechain } = message;
  const kinds = blocks.map(({ type }) => type).join(", ");
  return line(
    place,
    "message",
    `${role}, by the ${origin}${revision ? ", again" : ""}${
      sidechain ? ", of a subagent" : ""
    }: ${kinds || "empty"}`,
  ) + message.snippets.map((one) =>
    line(
      place,
      one.failed ? "snippet failed" : "snippet",
      `${one.filePath ?? "no file named"}, from ${
        one.toolName ?? one.pathSource ?? "a fence"
      }${one.closed ? "" : ", cut"}`,
    )
  ).join("");
}

/** The line for what is wrong in a stored session. */
export function explainWarning(warning: SessionWarning): string {
  return line(warning.line, warning.code, warning.message);
}
