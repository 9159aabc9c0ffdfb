/**
 * A text part whose offset is not where the last one ended: something was cut
 * out between them. What is on both sides is no markup together.
 */
import { describe, expect, test } from "vitest";
import type { Part } from "../../mod.ts";
import { merged } from "../laws.ts";
import { makeExact } from "./exact_parts.ts";
import { TOOLS } from "./salvage_alphabet.ts";

/** Markup that would be found, by stage. */
const MARKUP: readonly [
  stage: string,
  options: Record<string, unknown>,
  text: string,
  found: string,
][] = [
  ["fence", {}, "```js\nx\n```\n", "fence-start"],
  ["fence", { mode: "commonmark" }, "~~~\nx\n~~~\n", "fence-start"],
  ["fence", { mode: "loose" }, "```js\nx\n```\n", "fence-start"],
  ["directive", { directives: ["log"] }, "<log a=b>x</log>", "directive-start"],
  [
    "directive",
    { directives: ["log"], unclosed: "text" },
    "<log a=b>x</log>",
    "directive",
  ],
  [
    "directive",
    { directives: ["log"], dialect: "container" },
    ":::log[a]{b=c}\nx\n:::\n",
    "directive-start",
  ],
  [
    "salvager",
    { tools: TOOLS },
    '<tool_call>{"name":"now","arguments":{}}</tool_call>',
    "tool-call",
  ],
  ["snippet", {}, "```js\nx\n```\n", "snippet"],
];

/**
 * Up to which place a gap leaves nothing to find. A fence's run and a container's
 * name open one at the end of a text too, and complete JSON is a call without its closing tag.
 */
function openerEnd(stage: string, text: string): number {
  return stage === "salvager"
    ? text.indexOf("</")
    : stage === "directive"
    ? text.search(/>|(?<=:log)/) + Number(text.startsWith("<"))
    : text.search(/[^`~]/);
}

describe("texts with a gap between them", () => {
  for (const [stage, options, text, found] of MARKUP) {
    test(`${stage} ${JSON.stringify(options["mode"] ?? text)}`, () => {
      for (let at = 0; at <= text.length; at++) {
        for (const gap of [0, 1, 40]) {
          const { stage: machine } = makeExact(stage, options);
          const parts: Part[] = [];
          const emit = (part: Part): void => {
            parts.push(part);
          };
          const rest = text.slice(at);
          const start = 3 + at + gap;
          machine.push({ type: "text", text: "ab\n", start: 0 }, emit);
          if (at > 0) {
            machine.push(
              { type: "text", text: text.slice(0, at), start: 3 },
              emit,
            );
          }
          if (at < text.length) {
            machine.push({ type: "text", text: rest, start }, emit);
          }
          machine.push("\nend", emit);
          machine.end(emit);
          const types = merged(parts).map(({ type }) => type);
          const name = `${text.slice(0, at)}|${rest} ${gap}`;
          if (gap === 0 || at === text.length || at === 0) {
            expect(types, name).toContain(found);
          } else if (at < openerEnd(stage, text)) {
            expect(
              merged(parts).filter((part) =>
                part.type === found &&
                ("fence" in part ? part.fence : part as { start?: number })
                    .start === 3
              ),
              name,
            ).toEqual([]);
          }
          // What is text has the offset it came with.
          for (const part of parts) {
            if (part.type !== "text") continue;
            for (const [index, unit] of part.text.split("").entries()) {
              const place = part.start + index;
              const source = place < 3
                ? "ab\n"[place]
                : place < 3 + at
                ? text[place - 3]
                : place >= start && place < start + rest.length
                ? rest[place - start]
                : "\nend"[
                  place - (rest === "" ? 3 + at : start + rest.length)
                ];
              expect(unit, name).toBe(source);
            }
          }
        }
      }
    });
  }
});
