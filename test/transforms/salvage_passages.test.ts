/**
 * Passages in which a model does nothing but think, show or echo: no call in
 * them counts, and all that stand behind them do.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ToolCallSalvagerStream } from "../../mod.ts";
import { PASSAGES } from "../../transforms/internal/passages.ts";
import {
  checkChunkInvariance,
  checkLaws,
  cut,
  least,
  type MakeStream,
  measureGrowth,
  RUNS,
} from "../laws.ts";
import { OPENERS, TOOLS } from "./salvage_alphabet.ts";
import { invoke, run, salvage, summary, wrapped } from "./salvage_support.ts";

const make: MakeStream = (snapshot) =>
  new ToolCallSalvagerStream({ tools: TOOLS, snapshot });

const NOW = '<tool_call>{"name":"now","arguments":{}}</tool_call>';
const READ = wrapped(invoke("read", { path: "a" }));
const HARMONY =
  "<|start|>assistant<|channel|>commentary to=functions.now <|constrain|>json<|message|>{}<|call|>";
const KIMI = "<|tool_calls_section_begin|><|tool_call_begin|>functions.now:0" +
  "<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>";

/** What begins a passage, and what ends it. */
const TAGS: readonly [string, string][] = [
  ['<think mode="deep">', "</think>"],
  ["<Think>", "</Think>"],
  ["<THINKING>", "</THINKING>"],
  ["<Thinking >", "</thinking>"],
  ["< reasoning>", "</reasoning>"],
  ["<x-1:thinking>", "</x-1:thinking>"],
  ["<x:thinking a>", "</thinking>"],
  ["<ScratchPad id='1>2'\n b>", "</ScratchPad>"],
  ["<analysis>", "</analysis>"],
  ["<inner_monologue>", "</inner_monologue>"],
  ["<tool_response>", "</tool_response>"],
  ['<tool_result id="a">', "</tool_result>"],
  ["<function_results>", "</function_results>"],
  ["<stdout>", "</stdout>"],
  ["<User>", "</User>"],
  ["<system-reminder>", "</system-reminder>"],
  ["<script>", "</script>"],
  ['<textarea rows="2">', "</textarea>"],
];

/** Whose turns a chat template tells apart. */
const ROLES = [
  "user",
  "system",
  "developer",
  "tool",
  "function",
  "ipython",
  "observation",
];

function roles(opener: string, ...more: string[]): string[] {
  return [...ROLES, ...more].map((role) => opener + role);
}

/** The tokens that may stand anywhere in a line: which begin a passage, which end it. */
const TOKEN_TABLE: readonly [
  kind: string,
  openers: string[],
  closers: string[],
][] = [
  ["reasoning", ["<|channel|>analysis"], ["<|end|>", "<|return|>", "<|call|>"]],
  ["reasoning", ["\u25c1think\u25b7"], ["\u25c1/think\u25b7"]],
  ["reasoning", ["<|inner_prefix|>"], ["<|inner_suffix|>"]],
  ["turn", roles("<|im_start|>"), ["<|im_end|>", "<|im_start|>assistant"]],
  ["turn", ["<|im_user|>", "<|im_system|>"], [
    "<|im_end|>",
    "<|im_assistant|>",
  ]],
  ["turn", roles("<|start|>"), ["<|end|>", "<|start|>assistant"]],
  ["turn", roles("<|start_header_id|>"), [
    "<|eot_id|>",
    "<|eom_id|>",
    "<|start_header_id|>assistant",
  ]],
  ["turn", roles("<|header_start|>"), [
    "<|eot|>",
    "<|header_start|>assistant",
  ]],
  ["turn", roles("<|start_of_role|>", "available_tools"), [
    "<|end_of_text|>",
    "<|start_of_role|>assistant",
  ]],
  ["turn", roles("<start_of_turn>"), [
    "<end_of_turn>",
    "<start_of_turn>model",
  ]],
  ["turn", roles("<|turn>"), ["<turn|>", "<|turn>model"]],
  ["turn", roles("<seed:bos>"), ["<seed:eos>", "<seed:bos>assistant"]],
  ["turn", roles("]~b]"), ["[e~[", "]~b]ai"]],
  ["turn", ["<|user|>", "<|system|>", "<|tool|>", "<|observation|>"], [
    "<|assistant|>",
    "<|end|>",
  ]],
  ["turn", ["<|USER_TOKEN|>", "<|SYSTEM_TOKEN|>"], [
    "<|END_OF_TURN_TOKEN|>",
    "<|CHATBOT_TOKEN|>",
  ]],
  ["turn", ["<\uff5cUser\uff5c>"], ["<\uff5cAssistant\uff5c>"]],
  ["turn", ["[INST]"], ["[/INST]"]],
  ["turn", ["[SYSTEM_PROMPT]"], ["[/SYSTEM_PROMPT]"]],
  ["result", ["[TOOL_RESULTS]"], ["[/TOOL_RESULTS]"]],
  ["result", ["<\uff5ctool\u2581outputs\u2581begin\uff5c>"], [
    "<\uff5ctool\u2581outputs\u2581end\uff5c>",
  ]],
  ["result", ["<\uff5ctool\u2581output\u2581begin\uff5c>"], [
    "<\uff5ctool\u2581output\u2581end\uff5c>",
  ]],
  ["result", ["<|tool_response>"], ["<tool_response|>"]],
  ["result", ["<|tool_response_start|>"], ["<|tool_response_end|>"]],
  ["result", ["<start_function_response>"], ["<end_function_response>"]],
  ["result", ["<|START_TOOL_RESULT|>"], ["<|END_TOOL_RESULT|>"]],
  ["data", ["<![CDATA["], ["]]>"]],
];

const TOKENS: readonly [string, string][] = TOKEN_TABLE.flatMap((
  [, openers, closers],
) =>
  openers.flatMap((opener) =>
    closers.map((closer): [string, string] => [opener, closer])
  )
);

/** Names of tags that begin a passage, whatever their attributes, by what ends it. */
const TAG_NAMES: Readonly<Record<"closer" | "blank", string>> = {
  closer: "think thinking thought thoughts reason reasoning reflection " +
    "scratchpad antthinking antml:thinking seed:think mm:think analysis " +
    "reflect reflections rationale monologue inner_monologue inner_thoughts " +
    "internal_monologue chain_of_thought thought_process thinking_process cot " +
    "tool_response tool_responses tool_result tool_results tool_output " +
    "tool_outputs function_result function_results function_response " +
    "function_responses function_output fnr stdout stderr",
  blank: "user human system system-reminder system_prompt " +
    "script style textarea xmp",
};

/** Whether what ends a passage stands in a call. */
function ends(closer: string, call: string): boolean {
  return call.includes(closer);
}

describe("a call in a passage is none, one behind it is", () => {
  for (const [opener, closer] of [...TAGS, ...TOKENS]) {
    test(`${JSON.stringify(opener)} ${closer}`, () => {
      for (const call of [NOW, READ, KIMI]) {
        if (ends(closer, call)) continue;
        for (const before of ["", "Hi.\n", `${"A b.\n\n".repeat(900)}`]) {
          const text = `${before}${opener}\nI could ${call} but no.\n`;
          expect(salvage(text).calls, text).toEqual([]);
          const whole = `${text}${closer} ${call}`;
          expect(salvage(whole).calls.length, whole).toBe(1);
          expect(salvage(whole).codes).toContain("quoted");
        }
      }
    });
  }

  test("in every cutting", () => {
    for (const [opener, closer] of [...TAGS, ...TOKENS]) {
      if (ends(closer, NOW)) continue;
      checkChunkInvariance(
        make,
        `Hi.\n${opener}\n${NOW}\n\`\`\`\n${closer}\n${NOW}`,
      );
    }
  });

  test("not where the opener is only mentioned", () => {
    for (const [opener] of [...TAGS, ...TOKENS]) {
      for (
        const text of [
          `The ${opener} marker.\n${NOW}`,
          `\`${opener}\` is one.\n${NOW}`,
          `\`\`\`\n${opener}\n\`\`\`\n${NOW}`,
          `> ${opener}\n\n${NOW}`,
        ]
      ) expect(salvage(text).calls.length, text).toBe(1);
    }
    for (const text of ["<think/>", "<thinker>", "<think", "<script-x>"]) {
      expect(salvage(`${text}\n${NOW}`).calls.length, text).toBe(1);
    }
  });

  test("nor in a value, also when its call is refused", () => {
    for (const [opener] of [...TAGS, ...TOKENS, ['"""\n', ""]]) {
      const value = `a\n${opener}\nb`;
      for (const name of ["gone", "read"]) {
        const text = `${
          wrapped(invoke(name, { path: value, line: "x" }))
        }${NOW}`;
        expect(salvage(text).calls, text).toEqual([["now", {}]]);
        checkChunkInvariance(make, text, [text.split(""), cut(text, [40])]);
      }
    }
  });

  test("the tokens are these, whatever is made of them", () => {
    const table = PASSAGES.filter(({ place, openers }) =>
      place === "glued" && openers.length > 0
    ).map(({ kind, openers, closers }) => [kind, openers, closers]);
    expect(table).toEqual(TOKEN_TABLE);
  });

  test("every name, in a line of its own", () => {
    for (const [end, names] of Object.entries(TAG_NAMES)) {
      for (const name of names.split(" ")) {
        for (const tag of [name, name.toUpperCase()]) {
          const inside = `<${tag}>\nI could\n${NOW}`;
          expect(salvage(inside).calls, tag).toEqual([]);
          expect(salvage(`${inside}\n</${tag}>\n${NOW}`).calls, tag)
            .toEqual([["now", {}]]);
          expect(salvage(`<${tag}>\nI could\n\n${NOW}`).calls.length, tag)
            .toBe(end === "blank" ? 1 : 0);
          expect(salvage(`<${tag}s_>\n${NOW}`).calls.length, tag).toBe(1);
        }
      }
    }
  });

  test("what began many paragraphs ago goes on", () => {
    const long = "A b.\n\n".repeat(220);
    const openers: [string, string | undefined][] = [
      ...TAGS.slice(0, 14),
      ...TOKEN_TABLE.flatMap(([kind, openers, closers]) =>
        kind === "data" ? [] : openers.map((opener): [string, string] => [
          opener,
          closers[0]!,
        ])
      ),
    ];
    for (const [opener, closer] of openers) {
      for (const before of ["", `${long}Hi.`]) {
        const text = `${before}\n${opener}\n${long}`;
        for (const chunks of [[text], text.match(/[^]{1,700}/g)!]) {
          const calls = (more: string): number =>
            summary(run([...chunks, more])).calls.length;
          expect(calls(NOW), opener).toBe(0);
          expect(calls(`${closer}\n${long}${NOW}`), opener).toBe(1);
        }
      }
    }
  });

  test("the next role's turn may be the model's own", () => {
    for (
      const opener of [
        "<|im_start|>",
        "<|start|>",
        "<|start_header_id|>",
        "<|header_start|>",
        "<|start_of_role|>",
        "<start_of_turn>",
        "<|turn>",
        "<seed:bos>",
        "]~b]",
        "<|im_",
        "<|",
      ]
    ) {
      for (const role of ["assistant", "model", "ai", "other", ""]) {
        const text = `${opener}${role}\n${NOW}`;
        expect(salvage(text).calls.length, text).toBe(1);
      }
    }
  });

  test("a fence that is left open in one is over with it", () => {
    const text = `<tool_response>\n\`\`\`\n${NOW}\n</tool_response>\n${NOW}`;
    expect(salvage(text).calls).toHaveLength(1);
  });
});

describe("what is left open in a passage", () => {
  /** How many calls count behind it: on its closer's line, and on the next line. */
  const OPENED: readonly [
    opened: string,
    closed: [number, number],
    flows: [number, number],
  ][] = [
    ["", [1, 1], [1, 1]],
    // A closer behind ticks counts from the line's end on.
    ["``` ", [0, 1], [0, 1]],
    ["`", [0, 1], [0, 1]],
    ["``", [0, 1], [0, 1]],
    ['"', [1, 1], [0, 1]],
    ["\u201c", [1, 1], [0, 1]],
    ["> ", [1, 1], [1, 1]],
    ["\n> ", [1, 1], [0, 1]],
    ["+", [1, 1], [1, 1]],
    ["12\t", [1, 1], [1, 1]],
    ['"""\n', [1, 1], [1, 1]],
    ["'''\n", [1, 1], [1, 1]],
    ["<think>", [1, 1], [1, 1]],
    ["<!-- ", [1, 1], [1, 1]],
  ];
  const PAIRS: readonly [opener: string, closer: string, flows: boolean][] = [
    ["<tool_response>", "</tool_response>", false],
    ["<analysis>", "</analysis>", false],
    ["<|im_start|>user", "<|im_end|>", false],
    ["[TOOL_RESULTS]", "[/TOOL_RESULTS]", false],
    ["<|channel|>analysis", "<|end|>", false],
    ["<script>", "</script>", true],
    ["<![CDATA[", "]]>", true],
  ];

  test("is over with it, unless it is part of the answer", () => {
    for (const [opener, closer, flows] of PAIRS) {
      for (const [opened, closed, flowing] of OPENED) {
        const [behind, next] = flows ? flowing : closed;
        for (
          const [text, count] of [
            [`${opener}\nx ${opened}y${closer} ${NOW}`, behind],
            [`${opener}\n${opened}y${closer}\n${NOW}`, next],
          ] as const
        ) {
          expect(salvage(text).calls.length, text).toBe(count);
          checkChunkInvariance(make, text, [text.split(""), cut(text, [20])]);
        }
      }
    }
  });
});

describe("harmony", () => {
  const open = "<|channel|>analysis<|message|>";

  test("its analysis is reasoning until its end", () => {
    for (
      const [text, count] of [
        [`${open}Need it.<|end|>${HARMONY}`, 1],
        [`${open}Need it.${HARMONY}`, 1],
        [`${open}Need it.\n${HARMONY}`, 1],
        [`${open}I could write ${HARMONY} here`, 0],
        [`${open}I could ${NOW} here`, 0],
        [`${open}x<|end|><|start|>assistant${open}y ${NOW}`, 0],
        [`<|start|>user<|message|>Hi${HARMONY}`, 1],
        [`<|start|>user<|message|>Hi ${HARMONY}`, 1],
        [`<|start|>user<|message|>Hi\n${HARMONY}`, 1],
        [`<|start|>user<|message|>Hi ${HARMONY.slice(0, 16)} ${HARMONY}`, 1],
      ] as const
    ) {
      expect(salvage(text).calls.length, text).toBe(count);
      checkChunkInvariance(make, text);
    }
  });

  test("also when a server has stripped the tokens", () => {
    const named = { dialects: ["auto", "harmony"] };
    const call = "assistantcommentary to=functions.now json{}";
    for (
      const [text, count] of [
        [`analysisI could ${NOW} here.assistantfinalNo.`, 0],
        [`\nanalysisI could ${NOW} here`, 0],
        [`analysisthey could ${NOW} here`, 0],
        [`analysisI see.assistantfinal${NOW}`, 1],
        [`analysisI see.${call}`, 1],
        [`analysis of it: ${NOW}`, 1],
        [`An analysisI: ${NOW}`, 1],
        [`a ${NOW}`, 1],
      ] as const
    ) {
      expect(salvage(text, named).calls.length, text).toBe(count);
      checkChunkInvariance(
        (snapshot) =>
          new ToolCallSalvagerStream({ tools: TOOLS, ...named, snapshot }),
        text,
      );
    }
  });
});

describe("what has no closer ends all the same", () => {
  test("strings over lines", () => {
    for (const quotes of ['"""', "'''"]) {
      for (
        const [text, count] of [
          [`p = ${quotes}\n${NOW}\n${quotes}`, 0],
          [`${quotes}You\n\nare ${NOW}\n${quotes}\n${NOW}`, 1],
          [`p = f${quotes}  \n\n${NOW}`, 0],
          [`p = ${quotes}${" ".repeat(16)}\n${NOW}`, 0],
          [`p = ${quotes}${" ".repeat(17)}\n${NOW}`, 1],
          [`p = ${quotes} a\n${NOW}`, 1],
          [`${quotes} a\n${NOW}`, 0],
          [`p = ${quotes}a${quotes}\n${NOW}`, 1],
          [`Use ${quotes} for it.\n${NOW}`, 1],
          [`${quotes}${quotes}\n${NOW}`, 1],
          [`${quotes}${quotes[0]}\n${NOW}`, 1],
          [`${quotes}\n${"a\n".repeat(3_000)}${NOW}`, 1],
        ] as const
      ) {
        expect(salvage(text).calls.length, text.slice(0, 99)).toBe(count);
        if (text.length < 999) checkChunkInvariance(make, text);
      }
    }
  });

  test("what ends with a blank line, or where a diff does", () => {
    for (
      const [text, count] of [
        [`Human: do\n${NOW}`, 0],
        [`Human: do\r\n \r\n${NOW}`, 1],
        [`Human: do\n${NOW}\nAssistant: ${NOW}`, 1],
        [`Not Human: do\n${NOW}`, 1],
        [`<script>\nlet a;\n${NOW}`, 0],
        [`<script>\nlet a;\n\n${NOW}`, 1],
        [`<![CDATA[${NOW}]]>\n${NOW}`, 1],
        [`<![CDATA[x]]]>${NOW}`, 1],
        [`@@ -1 +1 @@\n-a\n+${NOW}\n b\n${NOW}`, 1],
        [`@@ -1 +1 @@\n-a\n\nSo:\n+ ${NOW}`, 1],
        [`<user>\nDo ${NOW}\n\n${NOW}`, 1],
        [`\\begin{verbatim}\n\n${NOW}\n\\end{verbatim}\n${NOW}`, 1],
        [`The \\begin{verbatim}\n${NOW}`, 1],
      ] as const
    ) {
      expect(salvage(text).calls.length, text).toBe(count);
      checkChunkInvariance(make, text);
    }
  });

  test("lines of a diff or a listing", () => {
    for (
      const [text, count] of [
        [`+${NOW}\n-${NOW}\n ${NOW}`, 1],
        [`a\n+${KIMI}\n`, 0],
        [`  +${NOW}`, 0],
        [`+ ${NOW}`, 1],
        [`- ${NOW}`, 1],
        [`-a ${NOW}`, 1],
        [`a -${NOW}`, 1],
        [`--${NOW}`, 1],
        [`  12\t${NOW}\n`, 0],
        [`12\u2192${NOW}`, 0],
        [`12 ${NOW}`, 1],
        [`12. ${NOW}`, 1],
        [`1) ${NOW}`, 1],
        [`+<b>\n${NOW}`, 1],
      ] as const
    ) {
      expect(salvage(text).calls.length, text).toBe(count);
      checkChunkInvariance(make, text);
    }
  });

  test("what its end cuts in two is still followed", () => {
    const inner = `a\n\n${NOW}\n`;
    for (const before of ["Human: ", "<script>\n"]) {
      const text = before + wrapped(invoke("read", { path: inner }));
      expect(salvage(text).calls, text).toEqual([]);
    }
  });
});

test("names of one's own are all there are", () => {
  const reasoning = ["hm"];
  for (
    const [text, count] of [
      [`<Hm a="b">${NOW}</Hm>`, 0],
      [`<Think>${NOW}</Think>`, 1],
      [`<|channel|>analysis<|message|>${NOW}`, 1],
      [`<tool_response>${NOW}`, 0],
    ] as const
  ) expect(salvage(text, { reasoning }).calls.length, text).toBe(count);
});

/** Beginnings and ends of all passages, and calls. */
const pieces = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...[...TAGS, ...TOKENS].flat()) },
    {
      weight: 6,
      arbitrary: fc.constantFrom(
        ..."\"\"\"|'''|\"|'|Human:|\nAssistant:|@@ -1 @@\n|+|analysis|W|a|A|`|```|[|]|<|/|:|="
          .split("|"),
        ..."\n|\n\n|\r\n| |  |> |- |\\|assistantfinal|assistant|<|start|>|<|channel|>|</"
          .split("|"),
        "analysisWe",
        "<|start|>assistant",
        "]~b]",
        "<think ",
        "Human: a\n",
        "\\begin{",
        "minted}",
        "\\end{minted}",
        "+",
        "-",
        "7\t",
        "\u2192",
        "\u25c1",
        "<think>",
        "</think>",
      ),
    },
    { weight: 4, arbitrary: fc.constantFrom(NOW, READ, KIMI, HARMONY) },
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        '<function_calls>\n<invoke name="gone">\n<parameter name="path">',
        "</parameter>\n</invoke>\n</function_calls>",
        '<tool_call>{"name":"gone","arguments":{"path":"',
        '"}}</tool_call>',
      ),
    },
    { weight: 1, arbitrary: fc.constantFrom(...OPENERS) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        "A line.\n\nNext. ".repeat(90),
        "x".repeat(4_090),
      ),
    },
  ),
  { maxLength: 12 },
).map((all) => all.join(""));

test("laws", () => {
  checkLaws({ make, inputs: pieces, runs: Math.ceil(RUNS / 2) });
}, 60_000 + RUNS * 50);

test("time is linear", () => {
  const texts: Record<string, string> = {
    "openers": [...TAGS, ...TOKENS].map(([opener]) => `${opener}\n`).join(""),
    "halves": "<think a\n<tool_resp\n'''\n\"\"\" x <|im_start|>\n",
    "a passage": "a </tool_respons <|im_en `",
  };
  for (const [name, text] of Object.entries(texts)) {
    const long = (length: number): string =>
      (name === "a passage" ? "<tool_response>\n" : "") +
      text.repeat(Math.ceil(length / text.length));
    const growth = least(() => measureGrowth(make, long, 20_000, 3));
    expect(growth, name).toBeLessThan(4);
  }
}, 120_000);
