import { describe, expect, test } from "vitest";
import { salvage } from "./salvage_support.ts";

/** A call that has to be alone on its line. */
const BARE =
  '<invoke name="read"><parameter name="path">a</parameter></invoke>';
const WRAPPED =
  '<tool_call>{"name":"read","arguments":{"path":"a"}}</tool_call>';

/** What models end a message or a turn with. */
const STOP_WORDS = [
  "<|im_end|>",
  "<|eot_id|>",
  "<|eom_id|>",
  "<|eot|>",
  "<|eom|>",
  "<|end|>",
  "<|return|>",
  "<|endoftext|>",
  "<|end_of_text|>",
  "<|end_of_turn|>",
  "<|END_OF_TURN_TOKEN|>",
  "<|observation|>",
  "<|user|>",
  "<end_of_turn>",
  "<turn|>",
  "<eos>",
  "</s>",
  "<｜end▁of▁sentence｜>",
  "<seed:eos>",
  "[e~[",
];

/** What reasoning stands between. */
const REASONING: readonly (readonly [opener: string, closer: string])[] = [
  ["<think>", "</think>"],
  ["<thinking>", "</thinking>"],
  ["<thought>", "</thought>"],
  ["<thoughts>", "</thoughts>"],
  ["<Thought>", "</Thought>"],
  ["<reason>", "</reason>"],
  ["<reasoning>", "</reasoning>"],
  ["<reflection>", "</reflection>"],
  ["<scratchpad>", "</scratchpad>"],
  ["<antThinking>", "</antThinking>"],
  ["<seed:think>", "</seed:think>"],
  ["<mm:think>", "</mm:think>"],
  ["[THINK]", "[/THINK]"],
  ["<|START_THINKING|>", "<|END_THINKING|>"],
  ["<|channel>thought", "<channel|>"],
  ["<|begin_of_thought|>", "<|end_of_thought|>"],
];

describe("stop words", () => {
  test("right behind a bare call are no prose", () => {
    for (const word of STOP_WORDS) {
      for (const between of ["", " "]) {
        const { calls, text } = salvage(BARE + between + word, {
          bare: "line-start",
        });
        expect([word, calls, text])
          .toEqual([word, [["read", { path: "a" }]], between + word]);
      }
      // Cut, or something else: it is prose.
      for (const other of [word.slice(0, -1) + "x", "x" + word]) {
        const { calls, text } = salvage(BARE + other, { bare: "line-start" });
        expect([other, calls, text]).toEqual([other, [], BARE + other]);
      }
    }
  });
});

describe("reasoning in plain text", () => {
  test("hides calls until its closer, at the start of the message or of a line", () => {
    for (const [opener, closer] of REASONING) {
      for (const before of ["", "So.\n"]) {
        const inside = `${before}${opener}\n${WRAPPED}\n`;
        expect([opener, salvage(inside).calls]).toEqual([opener, []]);
        const { calls, text } = salvage(`${inside}${closer}\n${WRAPPED}`);
        expect([opener, calls, text]).toEqual([
          opener,
          [["read", { path: "a" }]],
          `${inside}${closer}\n`,
        ]);
      }
      // In the middle of a line somebody only mentions it.
      expect([opener, salvage(`So ${opener}\n${WRAPPED}`).calls.length])
        .toEqual([opener, 1]);
      // Another one's closer is none.
      const [other] = REASONING.find(([one]) => one !== opener)!;
      expect([
        opener,
        salvage(`${opener}\n${other.replace("<", "</")}\n${WRAPPED}`).calls,
      ]).toEqual([opener, []]);
    }
  });
});
