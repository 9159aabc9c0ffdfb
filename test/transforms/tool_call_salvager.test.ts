import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Dialect,
  type Part,
  ToolCallSalvagerStream,
  type ToolCallSalvagerStreamOptions,
} from "../../mod.ts";
import { dialects } from "../../transforms/dialects/mod.ts";
import {
  checkLaws,
  least,
  type MakeStream,
  markupText,
  measureGrowth,
  measureHold,
  merged,
  random,
  RUNS,
} from "../laws.ts";
import {
  CALLS,
  NAMED_CALLS,
  OPENERS,
  PIECES,
  PREFIX,
  salvageCases,
  TOOLS,
} from "./salvage_alphabet.ts";
import {
  callsOf,
  invoke,
  run,
  salvage,
  summary,
  wrapped,
} from "./salvage_support.ts";

const NOW = wrapped(invoke("now"));
const BARE = { bare: "line-start" } as const;
const ALL = dialects.map(({ name }) => name);

function maker(options: ToolCallSalvagerStreamOptions): MakeStream {
  return (snapshot) =>
    new ToolCallSalvagerStream({ tools: TOOLS, ...options, snapshot });
}

const SEQUENCES = [...Object.values(CALLS), ...Object.values(NAMED_CALLS)];

/** Calls of all markups, whole, damaged and with anything between. */
const inputs = fc.oneof(
  markupText(PIECES),
  fc.array(
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...PIECES) },
      {
        weight: 2,
        arbitrary: fc.tuple(
          fc.constantFrom(...SEQUENCES),
          fc.nat(12),
          fc.nat(3),
          fc.constantFrom(...PIECES),
        ).map(([sequence, place, how, piece]) => {
          const pieces = [...sequence];
          const at = place % pieces.length;
          if (how === 1) pieces.splice(at, 1);
          else if (how === 2) pieces.splice(at, 0, piece);
          else if (how === 3) pieces.length = at;
          return pieces.join("");
        }),
      },
    ),
    { maxLength: 14 },
  ).map((pieces) => pieces.join("")),
);

/** The openers of all dialects, some of them going on as calls do. */
const openers = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...OPENERS) },
    { weight: 2, arbitrary: fc.constantFrom(...PIECES) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...SEQUENCES).map((all) => all.join("")),
    },
  ),
  { maxLength: 9 },
).map((all) => all.join(""));

describe("laws", () => {
  test("over the openers of all dialects", () => {
    expect(OPENERS.length).toBeGreaterThan(150);
    checkLaws({
      make: maker({ ...BARE, dialects: ["auto", ...ALL], progress: true }),
      inputs: openers,
    });
  }, 60_000 + RUNS * 50);

  const configurations: Record<string, ToolCallSalvagerStreamOptions> = {
    "by default": {},
    "with bare calls": BARE,
    "with progress": { ...BARE, progress: true },
    "with all dialects": { ...BARE, dialects: ALL },
    "with whole-message dialects": {
      dialects: ["xlam", "llama3-json", "llama-pythonic", "fenced-json"],
    },
    "with small limits": {
      ...BARE,
      maxCandidateLength: 60,
      maxValueLength: 20,
    },
  };
  for (const [name, options] of Object.entries(configurations)) {
    test(name, () => {
      checkLaws({
        make: maker(options),
        inputs,
        runs: Math.ceil(RUNS / 4),
        examples: [
          "Hi.\n" + wrapped(invoke("read", { path: "a" })) + " bye",
          `count\n${invoke("now")}\n</function_calls>\nok`,
          '<tool_call>\n{"name":"read","arguments":{"path":"\u{1f600}"}}\n</tool_call>',
        ],
      });
    }, 60_000);
  }
});

describe("what is certain", () => {
  test(
    "every prefix of a case gives its calls or fewer, never a shortened value",
    () => {
      for (const { id, input, options, expect: expected } of salvageCases()) {
        if (JSON.stringify(expected).includes('"calls":[]')) continue;
        const text = typeof input === "string" ? input : input.join("");
        const whole = salvage(text, options).calls;
        for (let length = 0; length < text.length; length++) {
          const { calls } = salvage(text.slice(0, length), options);
          expect(calls, `${id}, ${length} characters`).toEqual(
            whole.slice(0, calls.length),
          );
        }
      }
    },
    60_000,
  );

  test(
    "nothing runs that stands in a value, whatever becomes of the call around it",
    () => {
      const next = random(7);
      const pick = <One>(all: readonly One[]): One =>
        all[Math.floor(next() * all.length)]!;
      const tools = [...TOOLS, {
        name: "write",
        inputSchema: {
          type: "object",
          properties: { content: { type: "string" }, n: { type: "integer" } },
        },
      }];
      // How each markup writes a call, and what its value must not hold.
      const outer: [
        write: (name: string, content: string, n: string) => string,
        not: RegExp,
      ][] = [
        [
          (name, content, n) => wrapped(invoke(name, { content, n })),
          /parameter|<\/(antml:|atem:)?invoke>|function_calls>/,
        ],
        [
          (name, content, n) =>
            `<minimax:tool_call>${
              invoke(name, { n, content })
            }</minimax:tool_call>`,
          /parameter|<\/(antml:|atem:)?invoke>|minimax:/,
        ],
        [
          (name, content, n) =>
            `<tool_call>{"name":"${name}","arguments":{"n":${n},"content":${
              JSON.stringify(content)
            }}}</tool_call>`,
          /$^/,
        ],
        [
          (name, content, n) =>
            `<tool_call>\n<function=${name}>\n<parameter=n>\n${n}\n</parameter>\n<parameter=content>\n${content}\n</parameter>\n</function>\n</tool_call>`,
          /parameter|<\/function>|tool_call>|\r$/,
        ],
        [
          (name, content, n) =>
            `<tool_call>${name}<arg_key>n</arg_key><arg_value>${n}</arg_value><arg_key>content</arg_key><arg_value>${content}</arg_value></tool_call>`,
          /arg_/,
        ],
        [
          (name, content, n) =>
            `<|tool_call_begin|>functions.${name}:0<|tool_call_argument_begin|>{"n":${n},"content":${
              JSON.stringify(content)
            }}<|tool_call_end|>`,
          /$^/,
        ],
        [
          (name, content, n) =>
            `[TOOL_CALLS]${name}{"n":${n},"content":${
              JSON.stringify(content)
            }}`,
          /$^/,
        ],
        [
          (name, content, n) =>
            `<|tool_call>call:${name}{n:${n},content:<|"|>${content}<|"|>}<tool_call|>`,
          /<\|"\|>/,
        ],
      ];
      for (let round = 0; round < 2 * RUNS; round++) {
        let content = "";
        for (let left = 1 + next() * 6; left > 0; left--) {
          content += next() < 0.5
            ? pick(PIECES)
            : "\n" + pick(SEQUENCES).join("");
        }
        content = content.replace(/[\ud800-\udfff\0]/g, "");
        const [write, not] = pick(outer);
        if (not.test(content)) continue;
        const options = next() < 0.5
          ? { tools }
          : { ...BARE, tools, dialects: ALL };
        const whole = write("write", content, "7");
        expect(salvage(whole, options).calls, whole).toEqual([
          ["write", { n: 7, content }],
        ]);
        const unknown = write("gone", content, "7");
        expect(salvage(unknown, options).calls, unknown).toEqual([]);
        const wrong = write("write", content, '"x"');
        expect(salvage(wrong, options).calls, wrong).toEqual([]);
        const cut = whole.slice(0, Math.floor(whole.length * 0.9) - 40);
        expect(salvage(cut, options).calls, cut).toEqual([]);
        const [before, after] = [cut.slice(0, -5), cut.slice(-5)];
        const parts = run(
          [before, { type: "reasoning", text: "" }, after],
          options,
        );
        expect(callsOf(parts), cut).toEqual([]);
        if (/\n|`/.test(whole)) continue;
        for (const quoted of [`See \`${whole}\` there.`, `She: "${whole}".`]) {
          expect(salvage(quoted, options).calls, quoted).toEqual([]);
        }
      }
    },
    60_000,
  );

  test("a broken call hides its values too", () => {
    const inner = '<tool_call>{"name":"now","arguments":{}}</tool_call>';
    for (
      const text of [
        // Broken before the value that holds the example.
        `<tool_call>{"name":"read",,"arguments":{"path":${
          JSON.stringify(inner)
        }}}</tool_call>`,
        `<tool_call>{"name":"read","arguments":{"path":"say "${inner}" ok"}}</tool_call>`,
        `<function_calls>\n<invoke nam="read">\n<parameter name="path">${inner}</parameter>\n</invoke>\n</function_calls>`,
        `<function_calls>\n<invoke name="read">\njunk\n<parameter name="path">${inner}</parameter>\n</invoke>\n</function_calls>`,
        `<function=read>\n<b>\n<parameter=path>\n${inner}\n</parameter>\n</function>`,
        `<function_calls><invoke name="read"><parameter nam="path">${inner}</parameter></invoke></function_calls>`,
        `<|tool_call>call:read{line:7},path:<|"|>${inner}<|"|>}<tool_call|>`,
        `[TOOL_CALLS]read{"line" "path":${JSON.stringify(inner)}}`,
      ]
    ) {
      expect(salvage(text).calls, text).toEqual([]);
      expect(salvage(`${text}\n${inner}`).calls, text).toEqual([["now", {}]]);
    }
  });

  test("without the option, a bare call's values are hidden too", () => {
    const text = invoke("read", { path: `see\n${NOW}\n` });
    expect(salvage(text).calls).toEqual([]);
    expect(salvage(`${text}\n${NOW}`).calls).toEqual([["now", {}]]);
  });
});

describe("the gate", () => {
  test("only offered tools, by exact name", () => {
    for (const name of ["gone", "Now", "functions.now", "now ", " now"]) {
      const text = wrapped(invoke(name));
      expect(salvage(text)).toMatchObject({
        calls: [],
        text,
        codes: ["unknown-tool"],
      });
    }
  });

  test("not in code, quotes, block quotes", () => {
    const call = "<function_calls>" + invoke("now").replace("\n", "") +
      "</function_calls>";
    for (
      const text of [
        "```\n" + call + "\n```",
        "~~~~ xml\n" + call,
        "- x\n  ```\n  " + call + "\n  ```",
        "see `" + call + "` there",
        "see ``" + call + "`` there",
        "an odd ` and " + call,
        "`a\nb " + call + "` c",
        'she wrote "' + call + '"',
        "“" + call + "”",
        "„" + call + "“",
        "«" + call + "»",
        "> " + call,
        "  >" + call,
      ]
    ) {
      const { calls, text: left, codes } = salvage(text);
      expect([calls, left], text).toEqual([[], text]);
      expect(codes, text).toContain("quoted");
    }
  });

  test("but beside them", () => {
    for (
      const before of [
        "```\nx\n```\n",
        "a `b` c ",
        "an odd ` tick\n",
        'a "b" c ',
        "it's ",
        "“a” ",
        "> a\n\n",
        "I emit `<function_calls>` now: ",
        'first `<invoke name="read">` and `<parameter name="path">`. ',
      ]
    ) {
      expect(salvage(before + NOW), before).toMatchObject({
        calls: [["now", {}]],
        text: before,
      });
    }
  });

  test("what an accepted call holds does not quote what follows", () => {
    const text = wrapped(invoke("read", { path: 'a ` " ```\n```\n> ' })) + NOW;
    expect(salvage(text).calls).toHaveLength(2);
    const refused = wrapped(invoke("gone", { path: 'a "' })).replaceAll(
      "\n",
      "",
    );
    expect(salvage(refused + NOW).calls).toHaveLength(0);
  });

  test("not in reasoning", () => {
    for (
      const [text, count] of [
        [`<think>${NOW}</think>`, 0],
        [`<think>${NOW}`, 0],
        [`Hm.\n<thinking>${NOW}</thinking>\n${NOW}`, 1],
        [`a <think> b ${NOW}`, 1],
        ["<think>```\nx\n</think>\n" + NOW, 1],
        ["<think>a ` b</think>\n" + NOW, 1],
        ["<think>the `</think>` tag\n" + NOW + "\n</think>", 0],
        ["`<think>` is a tag.\n" + NOW, 1],
        ["```\n<think>\n```\n" + NOW, 1],
      ] as const
    ) {
      expect(salvage(text).calls, text).toHaveLength(count);
    }
    expect(salvage(`${NOW}</think>${NOW}`, { startInside: "think" }).calls)
      .toHaveLength(1);
    expect(salvage(`<hm>${NOW}</hm>`, { reasoning: ["hm"] }).calls).toEqual([]);
    expect(run([{ type: "reasoning", text: NOW }])).toEqual([
      { type: "reasoning", text: NOW },
    ]);
  });

  test("bare calls: first on a line, nothing behind", () => {
    const call = invoke("now");
    for (
      const [text, left] of [
        [call, ""],
        [`Hi.\n  ${call}`, "Hi.\n  "],
        [`${call}\nThere.`, "\nThere."],
        [`${call}  \n\nThere.`, "  \n\nThere."],
        [`${call}\n</function_calls> x`, " x"],
        [`${call}</${PREFIX}function_calls>`, ""],
        [`${call}${call}`, ""],
        [`${call} ${NOW}`, " "],
        [`${call}${" ".repeat(300)}x`, `${" ".repeat(300)}x`],
      ] as const
    ) {
      const { calls, text: rest } = salvage(text, BARE);
      expect(calls.length, text).toBeGreaterThan(0);
      expect(rest, text).toBe(left);
    }
    for (
      const text of [
        `See ${call}`,
        `${call} is one.`,
        `${call}.`,
        `${call} <b>`,
      ]
    ) {
      expect(salvage(text, BARE), text).toMatchObject({
        calls: [],
        text,
        codes: ["position"],
      });
    }
    expect(salvage(call)).toMatchObject({ calls: [], codes: ["position"] });
  });

  test("lead-in words", () => {
    const call = invoke("now");
    for (
      const [text, left] of [
        [`count\n${call}`, ""],
        [`Hi.\n\nsure\r\n\r\n${call}`, "Hi.\n\n"],
      ] as const
    ) {
      const { parts, text: rest } = salvage(text, BARE);
      expect(rest).toBe(left);
      expect(callsOf(parts)[0]).toMatchObject({ repairs: ["lead-in"] });
    }
    for (
      const before of [
        "Of course\n",
        "count \n",
        "count\nx\n",
        " count\n",
        `count${"\n".repeat(20)}`,
        "counts\n",
      ]
    ) {
      expect(salvage(before + call, BARE), before).toMatchObject({
        text: before,
        raws: [call],
      });
    }
    expect(salvage(`count\n${NOW}`, BARE).text).toBe("count\n");
    expect(salvage(`so\n${call}`, { ...BARE, leadIn: ["so"] }).text).toBe("");
    const gone = `count\n${invoke("gone")}`;
    expect(salvage(gone, BARE)).toMatchObject({
      text: gone,
      codes: ["unknown-tool"],
    });
  });

  test("no tools: everything passes as the same objects", () => {
    const parts: Part[] = [
      { type: "text", text: NOW, start: 0 },
      { type: "text", text: "<fun", start: NOW.length },
      { type: "usage", inputTokens: 1 },
    ];
    const out = run(parts, { tools: [] });
    expect(out).toHaveLength(3);
    for (const [index, part] of parts.entries()) expect(out[index]).toBe(part);
  });
});

describe("a wrapper", () => {
  test("is one unit: its tags go with its calls", () => {
    const text = wrapped(invoke("now"), invoke("read", { path: "a" }));
    const { raws, text: left } = salvage(`a ${text} b`);
    expect(left).toBe("a  b");
    expect(raws).toEqual([
      `<function_calls>\n${invoke("now")}`,
      `\n${invoke("read", { path: "a" })}\n</function_calls>`,
    ]);
  });

  test("nothing of it leaves before its fate is known", () => {
    const { stage } = new ToolCallSalvagerStream({ tools: TOOLS });
    const parts: Part[] = [];
    stage.push(`a<function_calls>${invoke("now")}`, (part) => parts.push(part));
    expect(parts).toEqual([{ type: "text", text: "a", start: 0 }]);
    stage.push("</function_calls>", (part) => parts.push(part));
    expect(parts[1]).toMatchObject({ type: "tool-call" });
  });

  test("with a refused call: the others leave, its tags stay", () => {
    for (
      const [refused, code] of [
        [invoke("gone", { path: "b" }), "unknown-tool"],
        [invoke("read", { line: "two" }), "schema"],
        ['<invoke nam="read">\n</invoke>', "malformed"],
      ] as const
    ) {
      const text = wrapped(
        invoke("now"),
        refused,
        invoke("read", { path: "a" }),
      );
      const { calls, text: left, codes } = salvage(text);
      expect(calls, text).toEqual([["now", {}], ["read", { path: "a" }]]);
      expect(left).toBe(`<function_calls>\n\n${refused}\n\n</function_calls>`);
      expect(codes).toEqual([code]);
    }
  });

  test("that is not closed", () => {
    const call = invoke("now");
    expect(salvage(`<function_calls>\n${call}\n`)).toMatchObject({
      calls: [["now", {}]],
      text: "\n",
    });
    // Something on a later line: the calls count, the opener stays.
    expect(salvage(`<function_calls>\n${call}\nWell.`)).toMatchObject({
      calls: [["now", {}]],
      text: "<function_calls>\n\nWell.",
    });
    // Prose on the same line: it is talked about.
    expect(salvage(`<function_calls>${call} is one.`).calls).toEqual([]);
    // A cut call in it.
    const cut = `<function_calls>\n${call}\n<invoke name="read">\n<parame`;
    expect(salvage(cut)).toMatchObject({
      calls: [["now", {}]],
      text: `<function_calls>\n\n<invoke name="read">\n<parame`,
      codes: ["truncated"],
    });
  });

  test("its limit", () => {
    const many = invoke("now").repeat(20);
    const { calls, text, codes } = salvage(`<function_calls>${many}`, {
      maxCandidateLength: 200,
    });
    expect(calls).toHaveLength(20);
    expect(text).toBe("<function_calls>");
    expect(codes).toEqual(["too-long"]);
  });
});

describe("limits", () => {
  test("a value", () => {
    const text = (length: number) =>
      wrapped(invoke("read", { path: "x".repeat(length) }));
    const options = { maxValueLength: 100 };
    expect(salvage(text(100), options).calls).toHaveLength(1);
    expect(salvage(text(101), options)).toMatchObject({
      calls: [],
      text: text(101),
      codes: ["too-long"],
    });
    // The rest of the value is still one.
    const nested = text(101).replace("xxx</", `${NOW}</`) + NOW;
    expect(salvage(nested, options).calls).toHaveLength(1);
  });

  test("text outside values", () => {
    const text = `<function_calls>${" ".repeat(100)}${invoke("now")}`;
    expect(salvage(text, { maxCandidateLength: 90 })).toMatchObject({
      calls: [],
      text,
      codes: ["too-long", "position"],
    });
  });

  test("what a limit costs is told, whatever the markup", () => {
    for (
      const [markup, pieces] of Object.entries({ ...CALLS, ...NAMED_CALLS })
    ) {
      const text = pieces.join("");
      const dialects = ["auto", markup.replace(/-(?:stripped|3\.2|fence)$/, "")]
        .filter((name) => name === "auto" || ALL.includes(name));
      expect(salvage(text, { ...BARE, dialects }).calls, markup).toHaveLength(
        1,
      );
      for (const limit of ["maxCandidateLength", "maxValueLength"]) {
        for (let most = 1; most <= text.length; most++) {
          const { calls, codes, text: left } = salvage(text, {
            ...BARE,
            dialects,
            [limit]: most,
          });
          if (calls.length > 0) continue;
          expect(codes, `${limit} ${most}: ${text}`).toContain("too-long");
          expect(left).toBe(text);
        }
      }
    }
    const list = '[{"name":"now","arguments":{}},{"name":"now"}]';
    expect(salvage(list, { dialects: ["xlam"], maxValueLength: 35 }))
      .toMatchObject({ calls: [], text: list, codes: ["too-long"] });
  });

  test("a million characters in a value, in chunks of 20", () => {
    const value = "ab < c </ d > ".repeat(71_428);
    for (
      const text of [
        wrapped(invoke("read", { path: value })),
        `<tool_call>{"name":"read","arguments":{"path":"${value}"}}</tool_call>`,
      ]
    ) {
      const chunks = [];
      for (let at = 0; at < text.length; at += 20) {
        chunks.push(text.slice(at, at + 20));
      }
      expect(summary(run(chunks)).calls).toEqual([["read", { path: value }]]);
    }
  }, 20_000);

  test("time is linear", () => {
    const texts: Record<string, (length: number) => string> = {
      "openers": (length) => "<tool_call>".repeat(length / 11),
      "refused candidates": (length) => "<tool_call>x ".repeat(length / 13),
      "refused calls": (length) =>
        '<function_calls><invoke name="gone">\n'.repeat(length / 37),
      "quoted openers": (length) => "`<tool_call>` ".repeat(length / 14),
      "brackets": (length) => "<".repeat(length),
      "an argument": (length) =>
        '<function_calls><invoke name="read"><parameter name="path">' +
        "a < b </ c ".repeat(length / 11),
      "closers in a value": (length) =>
        '<function_calls><invoke name="read"><parameter name="path">' +
        "</parameter> ".repeat(length / 13),
      // Longer than a wrapper may be from the beginning on.
      "children": (length) =>
        "<function_calls>" +
        '<invoke name="now"></invoke>'.repeat((100_000 + length) / 28),
      "unclosed lists": (length) =>
        '[TOOL_CALLS][{"name":"gone"},'.repeat(length / 29),
    };
    for (const [name, text] of Object.entries(texts)) {
      let growth = Infinity;
      // Another process may take the time of one measurement.
      for (let tries = 3; growth >= 4 && tries > 0; tries--) {
        growth = measureGrowth(maker(BARE), text, 20_000, 3);
      }
      expect(growth, name).toBeLessThan(4);
    }
  }, 60_000);

  test("a megabyte of openers, refused candidates, an argument", () => {
    const cases: Record<string, (length: number) => string> = {
      "openers of all dialects": (length) =>
        OPENERS.join("").repeat(length / OPENERS.join("").length),
      "100,000 refused candidates": (length) =>
        "<tool_call> ".repeat(length / 10),
      "an argument as text": (length) =>
        wrapped(invoke("read", { path: "a < b </ c\n".repeat(length / 11) })),
      "an argument in JSON": (length) =>
        `<tool_call>{"name":"read","arguments":{"path":"${
          "a < \\n ".repeat(length / 7)
        }"}}</tool_call>`,
    };
    for (const [name, text] of Object.entries(cases)) {
      const growth = least(() => measureGrowth(maker({}), text, 100_000, 1));
      expect(growth, name).toBeLessThan(4);
    }
  }, 240_000);

  test("plain text costs with all dialects hardly more than with one", () => {
    const text = "It reads the file, then (if there is one) the next line;\n" +
      'some "quoted" words, `code`, a [link](x), 1 < 2.\n\n';
    const plain = text.repeat(4_000);
    const time = (dialects: "auto" | string[]): number => {
      const { stage } = maker({ dialects })();
      const before = performance.now();
      for (let from = 0; from < plain.length; from += 20) {
        stage.push(plain.slice(from, from + 20), () => {});
      }
      return performance.now() - before;
    };
    for (const one of ["anthropic", "hermes", "kimi-k2", "mistral"]) {
      const fastest = (dialects: "auto" | string[]): number =>
        Math.min(...[1, 2, 3, 4, 5].map(() => time(dialects)));
      const ratio = least(() => fastest("auto") / fastest([one]), 6, 1.5);
      expect(ratio, one).toBeLessThan(1.5);
    }
  }, 60_000);

  test("what is held back of plain text", () => {
    const text = "Some *text* < 3, and `code`, functions, a [link](x).\n"
      .repeat(400);
    const { mean, max } = measureHold(maker(BARE), text, 20);
    expect(mean).toBeLessThan(0.5);
    expect(max).toBeLessThan(41);
    // A marker that is talked about costs one character.
    const { max: atMarkers } = measureHold(
      maker({}),
      "the <tool_call> marker, ",
      1,
    );
    expect(atMarkers).toBeLessThanOrEqual("<tool_call> ".length);
  });
});

describe("values", () => {
  test("a closer that nothing follows is content", () => {
    for (
      const value of [
        "a </parameter> b",
        "a </parameter>",
        "a </invoke> b",
        "a </invoke>\n</function_call> b </parameter> c",
        "</param",
        '<parameter name="x">y</parameter>',
        `${wrapped(invoke("read", { path: "a" }))}`,
        "\r\n a \t",
        "&lt;&amp;",
        "",
      ]
    ) {
      const text = wrapped(invoke("read", { path: value }));
      const { calls } = salvage(text);
      if (value === "a </parameter>") {
        // Twice in a row is one closer too many.
        expect(calls).toEqual([["read", { path: "a " }]]);
      } else expect(calls, value).toEqual([["read", { path: value }]]);
    }
  });

  test("missing and doubled closers", () => {
    const call = invoke("read", { path: "a" });
    const missing = wrapped(call.replace("</parameter>\n", ""));
    expect(salvage(missing)).toMatchObject({
      calls: [["read", { path: "a" }]],
      codes: ["repaired"],
    });
    const doubled = wrapped(
      call.replace("</parameter>", "</parameter></parameter>"),
    );
    expect(salvage(doubled)).toMatchObject({
      calls: [["read", { path: "a" }]],
      codes: ["repaired"],
    });
    // Something nested was seen: it may be its closer.
    const nested = wrapped(
      invoke("read", { path: `as ${NOW}` }).replace("</parameter>\n", ""),
    );
    expect(salvage(nested).calls).toEqual([]);
  });

  test("types and what does not convert", () => {
    const call = (parameters: Record<string, string>) =>
      salvage(wrapped(invoke("read", parameters)));
    expect(call({ line: "7" }).calls).toEqual([["read", { line: 7 }]]);
    expect(call({ path: "7" }).calls).toEqual([["read", { path: "7" }]]);
    expect(call({ other: "7" }).calls).toEqual([["read", { other: "7" }]]);
    for (const line of ["seven", "7.5", "12345678901234567890", "", "null"]) {
      expect(call({ line }), line).toMatchObject({
        calls: [],
        codes: ["schema"],
      });
    }
    const { calls } = call({ __proto__x: "a" });
    expect(calls).toEqual([["read", { __proto__x: "a" }]]);
    const hostile = wrapped(invoke("read", { "__proto__": "a" }));
    expect(hostile).not.toContain("__proto__");
    const own = wrapped(
      invoke("read", { x: "a" }).replace('"x"', '"__proto__"'),
    );
    expect(Object.keys(salvage(own).calls[0]![1] as object)).toEqual([
      "__proto__",
    ]);
  });

  test("a required parameter that is missing is told", () => {
    const tools = [{
      name: "now",
      inputSchema: { type: "object", required: ["zone"] },
    }];
    expect(salvage(NOW, { tools })).toMatchObject({
      calls: [["now", {}]],
      codes: ["missing-parameter"],
    });
  });

  test("an argument beside the arguments is not dropped silently", () => {
    const text =
      '<tool_call>{"name":"read","arguments":{"line":7},"path":"a"}</tool_call>';
    expect(salvage(text)).toMatchObject({ calls: [], codes: ["malformed"] });
    const harmless =
      '<tool_call>{"id":"1","name":"read","arguments":{"line":7}}</tool_call>';
    expect(salvage(harmless).calls).toEqual([["read", { line: 7 }]]);
  });
});

describe("with other parts", () => {
  const native: Part = {
    type: "tool-call",
    toolCallId: "n",
    toolName: "now",
    input: {},
    origin: "native",
  };

  test("a native call first releases what is held", () => {
    const types = (inputs: (string | Part)[]) =>
      run(inputs).map((part) =>
        part.type === "text"
          ? part.text
          : part.type === "tool-call"
          ? part.origin
          : part.type === "warning"
          ? part.code
          : part.type
      );
    expect(types(["a <fun", native, "ction_calls>"])).toEqual([
      "a ",
      "<fun",
      "native",
      "ction_calls>",
    ]);
    expect(types([NOW.slice(0, -5), native])).toEqual([
      "salvaged",
      NOW.slice(NOW.indexOf("</func") - 1, -5),
      "native",
    ]);
    expect(types([NOW.slice(0, 30), native, NOW.slice(30)])).toEqual([
      "truncated",
      NOW.slice(0, 30),
      "native",
      NOW.slice(30),
    ]);
  });

  test("parts that only tell something wait in line", () => {
    const usage: Part = { type: "usage", inputTokens: 1 };
    const parts = run([
      "a" + NOW.slice(0, 20),
      usage,
      NOW.slice(20, 40),
      usage,
      NOW.slice(40) + "b",
    ]);
    expect(parts.map((part) => part.type)).toEqual([
      "text",
      "tool-call",
      "usage",
      "usage",
      "text",
    ]);
  });

  test("afterNativeCall", () => {
    expect(callsOf(run([NOW, native, NOW]))).toHaveLength(2);
    expect(callsOf(run([NOW, native, NOW], { afterNativeCall: "off" })))
      .toHaveLength(1);
    const begin: Part = {
      type: "tool-input-start",
      toolCallId: "n",
      toolName: "now",
    };
    expect(callsOf(run([begin, NOW], { afterNativeCall: "off" }))).toEqual([]);
  });

  test("marks of a fence tracker before it count", () => {
    const text = (text: string, start: number, code?: "fence" | "marker") =>
      ({ type: "text", text, start, ...(code && { code }) }) as Part;
    expect(callsOf(run([text(NOW, 0, "fence")]))).toEqual([]);
    // What its own reading would take for a fence is none.
    const tracked: Part[] = [
      text("a\n", 0),
      text("```\n", 2, "marker"),
      text("x\n", 6, "fence"),
      text("```", 8, "marker"),
      text("\n", 11),
      text(NOW, 12),
    ];
    expect(callsOf(run(tracked))).toHaveLength(1);
    // A value may hold a fence.
    const value = wrapped(invoke("read", { path: "a\n```\nx\n```\nb" }));
    const at = value.indexOf("```");
    const fence = { id: "f", info: "", marker: "```", start: at };
    const parts = run([
      text(value.slice(0, at), 0),
      { type: "fence-start", fence },
      text(value.slice(at, at + 4), at, "marker"),
      text(value.slice(at + 4, at + 6), at + 4, "fence"),
      text(value.slice(at + 6, at + 9), at + 6, "marker"),
      { type: "fence-end", fence, closed: true, end: at + 9 },
      text(value.slice(at + 9), at + 9),
    ]);
    expect(callsOf(parts)[0]).toMatchObject({
      input: { path: "a\n```\nx\n```\nb" },
    });
  });

  test("plain text passes as the same object", () => {
    const part: Part = { type: "text", text: "plain `text`\n", start: 0 };
    expect(run([part])[0]).toBe(part);
  });
});

describe("options", () => {
  test("ids", () => {
    const ids = (options: ToolCallSalvagerStreamOptions) =>
      callsOf(salvage(NOW + NOW, options).parts).map((call) => call.toolCallId);
    expect(ids({})).toEqual(["call_1", "call_2"]);
    expect(ids({ idPrefix: "x-" })).toEqual(["x-1", "x-2"]);
    expect(ids({ generateId: (index) => `<${index}>` })).toEqual([
      "<1>",
      "<2>",
    ]);
  });

  test("tools by name", () => {
    const tools = { read: { properties: { line: { type: "integer" } } } };
    expect(salvage(wrapped(invoke("read", { line: "7" })), { tools }).calls)
      .toEqual([["read", { line: 7 }]]);
  });

  test("a list of dialects is exactly these, and may add to auto", () => {
    const hermes = '<tool_call>{"name":"now","arguments":{}}</tool_call>';
    expect(salvage(hermes, { dialects: ["anthropic"] }).calls).toEqual([]);
    expect(salvage(hermes, { dialects: ["hermes"] }).calls).toHaveLength(1);
    const react = "Action: now\nAction Input: {}";
    expect(salvage(react).calls).toEqual([]);
    const both = { dialects: ["auto", "react"] };
    expect(salvage(react, both).calls).toHaveLength(1);
    expect(salvage(hermes, both).calls).toHaveLength(1);
  });

  test("a dialect of one's own", () => {
    const mine: Dialect = {
      name: "mine",
      forms: [{
        open: ["@@calls"],
        close: ["@@end"],
        call: {
          open: [["@@call ", { match: "name" }, "\n"]],
          close: ["@@done"],
          parameter: {
            open: [["@@with ", { match: "key" }, ": "]],
            close: ["@@;"],
          },
        },
      }],
    };
    const text =
      "x @@calls\n@@call read\n@@with path: a @@ b@@;\n@@done\n@@end";
    expect(salvage(text, { dialects: [mine] })).toMatchObject({
      calls: [["read", { path: "a @@ b" }]],
      text: "x ",
    });
  });

  test("repairJson", () => {
    const text =
      '<tool_call>{"name":"read","arguments":{"path":"a" "line":7}}</tool_call>';
    expect(salvage(text).calls).toEqual([]);
    const repairJson = (json: string) => json.replace('" "', '", "');
    expect(salvage(text, { repairJson })).toMatchObject({
      calls: [["read", { path: "a", line: 7 }]],
      text: "",
      codes: ["repaired"],
    });
    for (
      const bad of [
        () => undefined,
        () => "{",
        () => {
          throw new Error("no");
        },
      ]
    ) expect(salvage(text, { repairJson: bad }).calls).toEqual([]);
  });

  test("progress", () => {
    const text = wrapped(invoke("read", { path: "abc" }));
    const parts = merged(run(text.split(""), { progress: true }));
    expect(parts.map((part) => part.type)).toEqual([
      "tool-input-start",
      "tool-input-delta",
      "tool-call",
    ]);
    expect(parts[1]).toMatchObject({
      toolCallId: "call_1",
      delta: '\n<parameter name="path">abc</parameter>\n</invoke>',
    });
    expect(parts[2]).toMatchObject({ toolCallId: "call_1" });
    const cut = merged(run([text.slice(0, 70)], { progress: true }));
    expect(cut.map((part) => part.type)).toEqual([
      "tool-input-start",
      "tool-input-delta",
      "tool-call-partial",
      "text",
      "warning",
      "text",
    ]);
    expect(cut[2]).toMatchObject({
      inputText: '\n<parameter name="path">abc</para',
    });
  });

  test("what is wrong throws at construction", () => {
    const make = (options: unknown) => () =>
      new ToolCallSalvagerStream(options as ToolCallSalvagerStreamOptions);
    expect(make({ dialects: ["nope"] })).toThrow(RangeError);
    expect(make({ dialects: [{ name: "x", forms: [] }] })).toThrow(TypeError);
    expect(make({ tools: [{ name: "" }] })).toThrow(TypeError);
    expect(make({ tools: [{ name: "a" }, { name: "a" }] })).toThrow(TypeError);
    expect(make({ maxValueLength: 0 })).toThrow(RangeError);
    expect(make({ maxCandidateLength: NaN })).toThrow(RangeError);
    expect(make({ leadIn: ["a\n"] })).toThrow(RangeError);
    expect(make({ snapshot: {} })).toThrow(TypeError);
    const { stage } = new ToolCallSalvagerStream({ tools: TOOLS });
    expect(
      make({ dialects: ["hermes"], tools: TOOLS, snapshot: stage.snapshot() }),
    ).toThrow(TypeError);
    const form = (form: unknown) =>
      make({ dialects: [{ name: "x", forms: [form] }] });
    expect(form({ call: {} })).toThrow(TypeError);
    expect(form({ call: { body: "json", open: ["x"] } })).toThrow(TypeError);
    expect(form({ call: { body: "call" } })).toThrow(TypeError);
    expect(
      form({ call: { body: "json", open: [[{ match: "name" }]] } }),
    ).toThrow(TypeError);
  });
});
