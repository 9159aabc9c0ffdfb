/** What a passage is, as far as that is of interest to somebody who is told of it. */
export type PassageKind =
  | "reasoning"
  | "result"
  | "turn"
  | "speech"
  | "string"
  | "data"
  | "diff";

/** How passages of a sort begin and end. */
export interface Passage {
  readonly kind: PassageKind;
  /** Literal beginnings. Tags are known by their names instead. */
  readonly openers: readonly string[];
  /** Literal ends, which belong to the passage. None of them begins in itself anew but with its first character. */
  readonly closers: readonly string[];
  /** Ends that count only right behind something that is no blank: in prose they are mentioned. */
  readonly glued?: readonly string[];
  /**
   * Where it may begin: first on its line; there or right behind something that
   * is no blank; as the message's first thing; first or last on its line.
   */
  readonly place: "line" | "glued" | "message" | "edge";
  /**
   * Whether fences, ticks and quotes in it count as anywhere. Otherwise what
   * it leaves open is over with it.
   */
  readonly flows: boolean;
  /** What else ends it: a blank line, a line that is none of a diff, a length. */
  readonly until?: "blank" | "diff" | "limit";
}

/** A passage of many lines whose end is missing is over after so many code units. */
export const LONGEST_QUOTED = 4_096;

/** Names of reasoning that are no directive's: only what stands in them is none of the answer. */
const MORE_REASONING: readonly string[] = [
  "analysis",
  "reflect",
  "reflections",
  "rationale",
  "monologue",
  "inner_monologue",
  "inner_thoughts",
  "internal_monologue",
  "chain_of_thought",
  "thought_process",
  "thinking_process",
  "cot",
];

/** Tags of what a tool gave. */
const RESULTS: readonly string[] = [
  "tool_response",
  "tool_responses",
  "tool_result",
  "tool_results",
  "tool_output",
  "tool_outputs",
  "function_result",
  "function_results",
  "function_response",
  "function_responses",
  "function_output",
  "fnr",
  "stdout",
  "stderr",
];

/** Tags of what somebody else said. */
const SPEECHES: readonly string[] = [
  "user",
  "human",
  "system",
  "system-reminder",
  "system_prompt",
];

/** Elements whose content is no markup, by the rules of HTML itself. */
const RAW: readonly string[] = ["script", "style", "textarea", "xmp"];

function tags(
  kind: PassageKind,
  more: Pick<Passage, "flows" | "until">,
): Passage {
  return { kind, openers: [], closers: [], place: "line", ...more };
}

const REASONING_TAG: Passage = tags("reasoning", { flows: false });
const RESULT_TAG: Passage = tags("result", { flows: false });
const SPEECH_TAG: Passage = tags("speech", { flows: true, until: "blank" });
const RAW_TAG: Passage = tags("data", { flows: true, until: "blank" });

/**
 * Passages by the local names of tags, in lower case: namespaces, attributes and
 * capitals do not matter.
 *
 * @param reasoning Names of reasoning; without them, all that are known.
 */
export function passagesByName(
  reasoning: readonly string[] | undefined,
  known: readonly string[],
): ReadonlyMap<string, Passage> {
  return new Map([
    ...RAW.map((name) => [name, RAW_TAG] as const),
    ...SPEECHES.map((name) => [name, SPEECH_TAG] as const),
    ...RESULTS.map((name) => [name, RESULT_TAG] as const),
    ...(reasoning ?? [...known, ...MORE_REASONING]).map((name) =>
      [localName(name), REASONING_TAG] as const
    ),
  ]);
}

/** A tag's name without namespace, in lower case. */
export function localName(name: string): string {
  return name.slice(name.lastIndexOf(":") + 1).toLowerCase();
}

/** Somebody else's turn, or a tool's, in the tokens of a chat template. */
function turn(
  opener: string,
  roles: readonly string[],
  ...closers: readonly string[]
): Passage {
  return {
    kind: "turn",
    openers: roles.map((role) => opener + role),
    closers,
    place: "glued",
    flows: false,
  };
}

function tokens(
  kind: PassageKind,
  openers: readonly string[],
  ...closers: readonly string[]
): Passage {
  return { kind, openers, closers, place: "glued", flows: false };
}

const OTHERS: readonly string[] = [
  "user",
  "system",
  "developer",
  "tool",
  "function",
  "ipython",
  "observation",
];

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Reasoning in tokens that may stand anywhere in a line. */
const REASONING_TOKENS: readonly Passage[] = [
  {
    ...tokens(
      "reasoning",
      ["<|channel|>analysis"],
      "<|end|>",
      "<|return|>",
      "<|call|>",
    ),
    glued: ["<|start|>assistant"],
  },
  {
    // The same from a server that strips the tokens.
    kind: "reasoning",
    openers: [...LETTERS].map((letter) => `analysis${letter}`),
    closers: ["assistantfinal", "assistantcommentary"],
    place: "message",
    flows: false,
  },
  tokens("reasoning", ["\u25c1think\u25b7"], "\u25c1/think\u25b7"),
  tokens("reasoning", ["<|inner_prefix|>"], "<|inner_suffix|>"),
];

const OTHER_TOKENS: readonly Passage[] = [
  turn("<|im_start|>", OTHERS, "<|im_end|>", "<|im_start|>assistant"),
  turn("<|im_", ["user|>", "system|>"], "<|im_end|>", "<|im_assistant|>"),
  turn("<|start|>", OTHERS, "<|end|>", "<|start|>assistant"),
  turn(
    "<|start_header_id|>",
    OTHERS,
    "<|eot_id|>",
    "<|eom_id|>",
    "<|start_header_id|>assistant",
  ),
  turn("<|header_start|>", OTHERS, "<|eot|>", "<|header_start|>assistant"),
  turn(
    "<|start_of_role|>",
    [...OTHERS, "available_tools"],
    "<|end_of_text|>",
    "<|start_of_role|>assistant",
  ),
  turn("<start_of_turn>", OTHERS, "<end_of_turn>", "<start_of_turn>model"),
  turn("<|turn>", OTHERS, "<turn|>", "<|turn>model"),
  turn("<seed:bos>", OTHERS, "<seed:eos>", "<seed:bos>assistant"),
  turn("]~b]", OTHERS, "[e~[", "]~b]ai"),
  turn(
    "<|",
    ["user|>", "system|>", "tool|>", "observation|>"],
    "<|assistant|>",
    "<|end|>",
  ),
  turn(
    "<|",
    ["USER_TOKEN|>", "SYSTEM_TOKEN|>"],
    "<|END_OF_TURN_TOKEN|>",
    "<|CHATBOT_TOKEN|>",
  ),
  turn("<\uff5cUser\uff5c>", [""], "<\uff5cAssistant\uff5c>"),
  turn("[INST]", [""], "[/INST]"),
  turn("[SYSTEM_PROMPT]", [""], "[/SYSTEM_PROMPT]"),
  tokens("result", ["[TOOL_RESULTS]"], "[/TOOL_RESULTS]"),
  tokens(
    "result",
    ["<\uff5ctool\u2581outputs\u2581begin\uff5c>"],
    "<\uff5ctool\u2581outputs\u2581end\uff5c>",
  ),
  tokens(
    "result",
    ["<\uff5ctool\u2581output\u2581begin\uff5c>"],
    "<\uff5ctool\u2581output\u2581end\uff5c>",
  ),
  tokens("result", ["<|tool_response>"], "<tool_response|>"),
  tokens("result", ["<|tool_response_start|>"], "<|tool_response_end|>"),
  tokens(
    "result",
    ["<start_function_response>"],
    "<end_function_response>",
  ),
  tokens("result", ["<|START_TOOL_RESULT|>"], "<|END_TOOL_RESULT|>"),
  {
    kind: "speech",
    openers: ["Human:"],
    closers: ["\nAssistant:", "\nAI:"],
    place: "line",
    flows: true,
    until: "blank",
  },
  {
    kind: "diff",
    openers: ["@@ -"],
    closers: [],
    place: "line",
    flows: true,
    until: "diff",
  },
  {
    kind: "data",
    openers: ["<![CDATA["],
    closers: ["]]>"],
    place: "glued",
    flows: true,
    until: "blank",
  },
  {
    kind: "data",
    openers: ["\\begin{verbatim}", "\\begin{lstlisting}", "\\begin{minted}"],
    closers: ["\\end{verbatim}", "\\end{lstlisting}", "\\end{minted}"],
    place: "line",
    flows: true,
    until: "limit",
  },
  {
    kind: "string",
    openers: ['"""'],
    closers: ['"""'],
    place: "edge",
    flows: true,
    until: "limit",
  },
  {
    kind: "string",
    openers: ["'''"],
    closers: ["'''"],
    place: "edge",
    flows: true,
    until: "limit",
  },
];

/**
 * Passages that do not begin with a tag. All of them stand in this table, in an
 * order that states refer to.
 */
export const PASSAGES: readonly Passage[] = [
  REASONING_TAG,
  RESULT_TAG,
  SPEECH_TAG,
  RAW_TAG,
  ...REASONING_TOKENS,
  ...OTHER_TOKENS,
];

/** Whether a passage is one of reasoning in tokens. */
export function isReasoningToken(passage: Passage): boolean {
  return REASONING_TOKENS.includes(passage);
}
