import { REASONING_NAMES } from "./directive_set.ts";

/** What reasoning begins and ends with. */
export type ReasoningTag = readonly [opener: string, closer: string];

/** Tokens of models that do not use tags. */
const TOKENS: readonly ReasoningTag[] = [
  ["[THINK]", "[/THINK]"],
  ["<|START_THINKING|>", "<|END_THINKING|>"],
  ["<|channel>thought", "<channel|>"],
  ["<|begin_of_thought|>", "<|end_of_thought|>"],
];

const all: readonly ReasoningTag[] = [
  ...REASONING_NAMES.map(reasoningTag),
  ...TOKENS,
];

/** The tag of this name. */
export function reasoningTag(name: string): ReasoningTag {
  return [`<${name}>`, `</${name}>`];
}

/** The tags of these names; without names, all that are known. */
export function reasoningTags(
  names: readonly string[] | undefined,
): readonly ReasoningTag[] {
  return names?.map(reasoningTag) ?? all;
}
