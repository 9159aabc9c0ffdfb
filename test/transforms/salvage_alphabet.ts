/** What salvage tests are made of: tools, and the pieces of every markup. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Tool } from "../../mod.ts";
import type { DialectForm, Pattern } from "../../transforms/dialect.ts";
import { dialects } from "../../transforms/dialects/mod.ts";
import { reasoningTags } from "../../transforms/internal/reasoning_tags.ts";
import { STOP_WORDS } from "../../transforms/internal/stop_words.ts";
import { openings } from "../../transforms/internal/token_program.ts";
import { MARKUP } from "../laws.ts";

/** The prefix that Claude's own tags have, put together so that it is not one here. */
export const PREFIX: string = "antml" + ":";

/** The tools that the pieces call. */
export const TOOLS: readonly Tool[] = [
  {
    name: "read",
    inputSchema: {
      type: "object",
      properties: { path: { type: "string" }, line: { type: "integer" } },
    },
  },
  { name: "now", inputSchema: { type: "object", properties: {} } },
];

/** A call of `read` in every markup, with what it is cut into for random texts. */
export const CALLS: Readonly<Record<string, readonly string[]>> = {
  anthropic: [
    "<function_calls>",
    "\n",
    '<invoke name="read">',
    '<parameter name="path">',
    "a",
    "</parameter>",
    "</invoke>",
    "</function_calls>",
  ],
  prefixed: [
    `<${PREFIX}function_calls>`,
    `<${PREFIX}invoke name="read">`,
    `<${PREFIX}parameter name="path">`,
    "a",
    `</${PREFIX}parameter>`,
    `</${PREFIX}invoke>`,
    `</${PREFIX}function_calls>`,
  ],
  hermes: [
    "<tool_call>",
    '{"name":"read","arguments":',
    '{"path":"a"}',
    "}",
    "</tool_call>",
  ],
  "qwen3-coder": [
    "<tool_call>",
    "\n",
    "<function=read>",
    "<parameter=path>",
    "a",
    "</parameter>",
    "</function>",
    "</tool_call>",
  ],
  glm: [
    "<tool_call>",
    "read",
    "<arg_key>",
    "path",
    "</arg_key>",
    "<arg_value>",
    "a",
    "</arg_value>",
    "</tool_call>",
  ],
  "deepseek-dsml": [
    "<｜DSML｜function_calls>",
    '<｜DSML｜invoke name="read">',
    '<｜DSML｜parameter name="path" string="true">',
    "a",
    "</｜DSML｜parameter>",
    "</｜DSML｜invoke>",
    "</｜DSML｜function_calls>",
  ],
  "deepseek-v3": [
    "<｜tool▁calls▁begin｜>",
    "<｜tool▁call▁begin｜>",
    "function",
    "<｜tool▁sep｜>",
    "read",
    "\n```json\n",
    '{"path":"a"}',
    "\n```",
    "<｜tool▁call▁end｜>",
    "<｜tool▁calls▁end｜>",
  ],
  "deepseek-v3.1": [
    "<｜tool▁calls▁begin｜>",
    "<｜tool▁call▁begin｜>",
    "read",
    "<｜tool▁sep｜>",
    '{"path":"a"}',
    "<｜tool▁call▁end｜>",
    "<｜tool▁calls▁end｜>",
  ],
  "kimi-k2": [
    "<|tool_calls_section_begin|>",
    "<|tool_call_begin|>",
    "functions.",
    "read",
    ":0",
    "<|tool_call_argument_begin|>",
    '{"path":"a"}',
    "<|tool_call_end|>",
    "<|tool_calls_section_end|>",
  ],
  "mistral-list": [
    "[TOOL_CALLS]",
    "[",
    '{"name":"read","arguments":',
    '{"path":"a"}',
    "}",
    "]",
  ],
  mistral: ["[TOOL_CALLS]", "read", "[ARGS]", '{"path":"a"}'],
  "minimax-m1": [
    "<tool_calls>",
    '{"name":"read","arguments":',
    '{"path":"a"}',
    "}",
    "</tool_calls>",
  ],
  "minimax-m2": [
    "<minimax:tool_call>",
    '<invoke name="read">',
    '<parameter name="path">',
    "a",
    "</parameter>",
    "</invoke>",
    "</minimax:tool_call>",
  ],
  "minimax-m3": [
    "]<]minimax[>[",
    "<tool_call>",
    "]<]minimax[>[",
    '<invoke name="read">',
    "]<]minimax[>[",
    "<path>",
    "a",
    "]<]minimax[>[",
    "</path>",
    "]<]minimax[>[",
    "</invoke>",
    "]<]minimax[>[",
    "</tool_call>",
  ],
  harmony: [
    "<|start|>assistant",
    "<|channel|>commentary ",
    "to=functions.",
    "read",
    " <|constrain|>json",
    "<|message|>",
    '{"path":"a"}',
    "<|call|>",
  ],
  gemma4: [
    "<|tool_call>",
    "call:",
    "read",
    '{path:<|"|>a<|"|>}',
    "<tool_call|>",
  ],
  functiongemma: [
    "<start_function_call>",
    "call:",
    "read",
    "{path:<escape>a<escape>}",
    "<end_function_call>",
  ],
  granite: [
    "<|tool_call|>",
    "[",
    '{"name":"read","arguments":',
    '{"path":"a"}',
    "}",
    "]",
  ],
  "granite-20b": [
    "<function_call>",
    '{"name":"read","arguments":',
    '{"path":"a"}',
    "}",
  ],
  functionary: ["<function=read>", '{"path":"a"}', "</function>"],
  "command-r": [
    "<|START_ACTION|>",
    "[",
    '{"tool_name":"read","parameters":',
    '{"path":"a"}',
    "}",
    "]",
    "<|END_ACTION|>",
  ],
  phi4: ["functools[", '{"name":"read","arguments":', '{"path":"a"}', "}", "]"],
  nemotron: [
    "<TOOLCALL>",
    "[",
    '{"name":"read","arguments":',
    '{"path":"a"}',
    "}",
    "]",
    "</TOOLCALL>",
  ],
  "seed-oss": [
    "<seed:tool_call>",
    "<function=read>",
    "<parameter=path>",
    "a",
    "</parameter>",
    "</function>",
    "</seed:tool_call>",
  ],
  "llama3-json": [
    "<|python_tag|>",
    '{"name":"read","parameters":',
    '{"path":"a"}',
    "}",
  ],
  "llama-pythonic": [
    "<|python_start|>",
    "[",
    "read(",
    'path="a"',
    ")",
    "]",
    "<|python_end|>",
  ],
  lfm2: [
    "<|tool_call_start|>",
    "[",
    "read(",
    'path="a"',
    ")",
    "]",
    "<|tool_call_end|>",
  ],
  "cline-xml": ["<read>", "\n", "<path>", "a", "</path>", "\n", "</read>"],
};

/** Calls in markups that count only by name. */
export const NAMED_CALLS: Readonly<Record<string, readonly string[]>> = {
  olmo3: ["<function_calls>", "read(", 'path="a"', ")", "</function_calls>"],
  "harmony-stripped": [
    "commentary to=functions.",
    "read",
    " json",
    '{"path":"a"}',
  ],
  "functionary-3.2": [">>>", "read", "\n", '{"path":"a"}'],
  "command-r-fence": [
    "Action: ```json\n",
    "[",
    '{"tool_name":"read","parameters":',
    '{"path":"a"}',
    "}",
    "]",
    "\n```",
  ],
  react: ["Action: read\n", "Action Input: ", '{"path":"a"}'],
  "gemma-tool-code": ["```tool_code\n", "read(", 'path="a"', ")", "\n```"],
  "fenced-json": [
    "```json\n",
    '{"name":"read","arguments":',
    '{"path":"a"}',
    "}",
    "\n```",
  ],
};

/** Openers and closers of a form, with a name where they hold one. */
function tokensOf({ open, close, call, orphans }: DialectForm): string[] {
  const patterns: Pattern[] = [
    open,
    close,
    call.open,
    call.empty,
    call.close,
    call.parameter?.open,
    call.parameter?.close,
    orphans,
  ].flatMap((all) => all ?? []);
  return patterns.flatMap((pattern) => openings(pattern, ["read", "now"]));
}

/** What the markups of all dialects begin with, in all ways in which it drifts. */
export const OPENERS: readonly string[] = [
  ...new Set([
    ...dialects.flatMap(({ forms }) => forms.flatMap(tokensOf)),
    ...reasoningTags(undefined).flat(),
    ...STOP_WORDS,
  ]),
].filter((token) => token !== "");

/** All pieces, and what confuses a reader of them. */
export const PIECES: readonly string[] = [
  ...new Set([
    ...MARKUP,
    ...Object.values(CALLS).flat(),
    ...Object.values(CALLS).flat(),
    ...Object.values(NAMED_CALLS).flat(),
    '<invoke name="now"></invoke>',
    '<invoke name="gone">',
    "<function=gone>",
    "<tool_call>now</tool_call>",
    '<parameter name="line">7',
    "count\n",
    "sure\n",
    "<|eom_id|>",
    "[THINK]",
    "[/THINK]",
    "“",
    "”",
    ";",
    ",",
    "\\n",
    "7",
    "null",
  ]),
];

/** A case of calls in text. */
export interface SalvageCase {
  id: string;
  input: string | string[];
  options?: Record<string, unknown>;
  note?: string;
  expect: Record<string, unknown>;
}

/** Reads the handed cases of calls in text. */
export function salvageCases(): SalvageCase[] {
  return casesIn("../cases/salvage.jsonl");
}

/** Reads the cases of our own. */
export function moreSalvageCases(): SalvageCase[] {
  return [
    ...casesIn("../cases_more/salvage_more.jsonl"),
    ...casesIn("../cases_more/salvage_formats.jsonl"),
    ...casesIn("../cases_more/salvage_variants.jsonl"),
    ...casesIn("../cases_more/salvage_passages.jsonl"),
  ];
}

function casesIn(file: string): SalvageCase[] {
  const path = fileURLToPath(new URL(file, import.meta.url));
  return readFileSync(path, "utf8").split("\n").filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}
