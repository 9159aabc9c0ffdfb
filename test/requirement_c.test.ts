/**
 * Requirement C, vscode.lm provider hardening, line by line. What is tested at
 * length is in the tests of the parts; here is one test for every claim.
 */
import { describe, expect, test } from "vitest";
import { fromVscodeLm } from "../adapters/vscode_lm.ts";
import {
  estimateTokens,
  fitToolResults,
  OverBudgetError,
  parse,
  type Part,
  sanitizeMessages,
  sanitizeSurrogates,
  SurrogateSanitizerStream,
  type Tool,
  ToolCallSalvagerStream,
} from "../mod.ts";
import {
  checkConservation,
  coverage,
  cut,
  cuttings,
  measureHold,
  merged,
  run,
} from "./laws.ts";

const tools: readonly Tool[] = [
  {
    name: "read",
    inputSchema: {
      type: "object",
      properties: { path: { type: "string" } },
    },
  },
  { name: "list" },
];

const salvager = (offered: readonly Tool[] = tools) => () =>
  new ToolCallSalvagerStream({ tools: offered });

function invoke(name: string, parameters: Record<string, string> = {}): string {
  const tags = Object.entries(parameters).map(([key, value]) =>
    `<parameter name="${key}">${value}</parameter>`
  );
  return `<invoke name="${name}">${tags.join("")}</invoke>`;
}

function wrapped(...calls: string[]): string {
  return `<function_calls>${calls.join("")}</function_calls>`;
}

const LEAK = wrapped(invoke("read", { path: "a.md" }));

type Entry = string | [name: string, input: unknown];

/** Text as strings, calls as `[name, input]`, in order. */
function brief(parts: readonly Part[]): Entry[] {
  return merged(parts.filter(({ type }) => type !== "warning")).flatMap(
    (part): Entry[] =>
      part.type === "text"
        ? [part.text]
        : part.type === "tool-call"
        ? [[part.toolName, part.input]]
        : [],
  );
}

/** Some of the ways to cut a text: in two, sampled, and by the character. */
function* ways(text: string): Generator<string[]> {
  const step = Math.max(1, Math.ceil(text.length / 30));
  for (let at = 1; at < text.length; at += step) yield cut(text, [at]);
  yield text.split("");
}

/** What comes of a text, the same however it is cut, and nothing lost. */
function salvaged(
  text: string,
  offered: readonly Tool[] = tools,
): Entry[] {
  const parts = run(salvager(offered)(), [text]);
  checkConservation(text, parts);
  const entries = brief(parts);
  for (const chunks of ways(text)) {
    expect(brief(run(salvager(offered)(), chunks)), JSON.stringify(chunks))
      .toEqual(entries);
  }
  return entries;
}

/** Checks that a text stays as it is, in every cutting. */
function staysText(text: string, offered: readonly Tool[] = tools): void {
  expect(salvaged(text, offered)).toEqual([text]);
}

describe("C1, surrogates", () => {
  test("unpaired ones become U+FFFD, valid pairs stay", () => {
    expect(sanitizeSurrogates("\ud83d a \ude80 b \u{1f680}\ud83d")).toBe(
      "\ufffd a \ufffd b \u{1f680}\ufffd",
    );
  });

  test("a pair whose halves arrive in two chunks stays a pair", () => {
    const text = "go \u{1f680} now \ud83d";
    for (const chunks of cuttings(text)) {
      const strings: string[] = [];
      const { stage } = new SurrogateSanitizerStream();
      for (const chunk of chunks) {
        stage.push(chunk, (one) => strings.push(one as unknown as string));
      }
      stage.end((one) => strings.push(one as unknown as string));
      expect(strings.join("")).toBe("go \u{1f680} now \ufffd");
    }
  });

  const bad = "half \ud83d";
  const good = "half \ufffd";
  const places: readonly (readonly [string, (text: string) => unknown])[] = [
    ["simple messages", (text) => ({ role: "user", content: text })],
    ["the system prompt", (text) => ({
      system: text,
      messages: [{ role: "system", content: [{ type: "text", text }] }],
    })],
    ["a tool result as a string", (text) => ({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "t", content: text }],
    })],
    ["a tool result in blocks", (text) => ({
      role: "user",
      content: [{
        type: "tool_result",
        tool_use_id: "t",
        content: [{ type: "text", text }],
      }],
    })],
    ["user and assistant text", (text) => [
      { role: "user", content: [{ type: "text", text }] },
      { role: "assistant", content: [{ type: "text", text }] },
    ]],
    ["tool inputs", (text) => ({
      role: "assistant",
      content: [{
        type: "tool_use",
        id: "t",
        name: "read",
        input: { deep: [{ [text]: text }] },
      }],
    })],
    ["vscode.lm's parts", (text) => ({
      role: 1,
      content: [{ callId: "t", content: [{ value: text }] }, { value: text }],
    })],
  ];
  for (const [place, make] of places) {
    test(`in every string of a request: ${place}`, () => {
      expect(sanitizeMessages(make(bad))).toEqual(make(good));
      const fine = make("whole \u{1f680}");
      expect(sanitizeMessages(fine)).toBe(fine);
    });
  }
});

describe("C2, leaked tool calls", () => {
  test("a call streamed as text becomes a real tool call, also split over chunks", () => {
    expect(salvaged(LEAK)).toEqual([["read", { path: "a.md" }]]);
  });

  test("only inside an open wrapper", () => {
    staysText(invoke("read", { path: "a.md" }));
    staysText(`${invoke("read", { path: "a.md" })}</function_calls>`);
    expect(salvaged(`${LEAK}\n${invoke("list")}`)).toEqual([
      ["read", { path: "a.md" }],
      `\n${invoke("list")}`,
    ]);
  });

  test("only for tools offered in that turn", () => {
    staysText(wrapped(invoke("write", { path: "a.md" })));
    staysText(LEAK, [{ name: "list" }]);
    staysText(wrapped(invoke("Read", { path: "a.md" })));
  });

  test("only when tools were offered", () => {
    staysText(LEAK, []);
  });

  test("markers split over chunks: the carry is bounded", () => {
    const prose = "a < b, <function, </invoke> and <func_calls> ".repeat(100);
    // The longest beginning of a marker, not more, whatever the chunks are.
    for (const size of [1, 7, 64]) {
      expect(measureHold(salvager(), prose, size).max).toBeLessThan(64);
    }
    // Of what may be a call, no more than the limits say.
    const limited = () =>
      new ToolCallSalvagerStream({
        tools,
        maxCandidateLength: 500,
        maxValueLength: 500,
      });
    for (
      const endless of [
        '<parameter name="path">x',
        '<parameter name="path">x</parameter>',
        "  \n",
        "<x>",
      ]
    ) {
      const text = `<function_calls><invoke name="read">${
        endless.repeat(1_000)
      }`;
      expect(measureHold(limited, text, 10).max, endless).toBeLessThan(1_200);
    }
  });

  test("an overlong malformed tag is not carried", () => {
    for (
      const opener of [
        '<function_calls><invoke name="read"',
        "<function_calls ",
        '<function_calls><invoke name="read"><parameter name="path" ',
      ]
    ) {
      const text = `${opener}${" x".repeat(100_000)}`;
      const stream = salvager()();
      const parts: Part[] = [];
      for (let at = 0; at < text.length; at += 50) {
        stream.stage.push(text.slice(at, at + 50), (part) => parts.push(part));
      }
      // All but a marker's worth has left before the end is known.
      expect(coverage(parts), opener).toBeGreaterThan(text.length - 100);
      stream.stage.end((part) => parts.push(part));
      checkConservation(text, parts);
      expect(brief(parts), opener).toEqual([text]);
    }
  });

  test("quoted in variable-length fences of backticks", () => {
    for (const length of [3, 4, 5, 8, 12]) {
      const marker = "`".repeat(length);
      staysText(`Like:\n${marker}xml\n${LEAK}\n${marker}\nso.`);
      // A shorter run does not close it.
      const shorter = "`".repeat(length - 1);
      staysText(`${marker}\n${shorter}\n${LEAK}\n${marker}\n`);
      // A longer one does.
      expect(salvaged(`${marker}\nx\n${marker}\`\n${LEAK}`)).toEqual([
        `${marker}\nx\n${marker}\`\n`,
        ["read", { path: "a.md" }],
      ]);
    }
    // Not closed at all.
    staysText(`\`\`\`\n${LEAK}\n`);
  });

  test("quoted in tilde fences", () => {
    for (const marker of ["~~~", "~~~~", "~~~~~~~~"]) {
      staysText(`Like:\n${marker} xml\n${LEAK}\n${marker}\nso.`);
      // Backticks do not close it.
      staysText(`${marker}\n\`\`\`\`\`\`\`\`\`\n${LEAK}\n${marker}\n`);
    }
  });

  test("quoted in inline code", () => {
    for (const ticks of ["`", "``", "```", "````"]) {
      staysText(`Write ${ticks} ${LEAK} ${ticks} to read.`);
    }
    expect(salvaged(`Not \`this\`: ${LEAK}`)).toEqual([
      "Not `this`: ",
      ["read", { path: "a.md" }],
    ]);
  });

  test("quoted prose: markup in quotation marks or a block quote", () => {
    const single = wrapped("<invoke name='read'></invoke>");
    staysText(`I would write "${single}" here.`);
    staysText(`I would write \u201c${single}\u201d here.`);
    staysText(`> ${LEAK}\n\nSo it said.`);
    staysText("The <function_calls> wrapper holds <invoke> tags.");
    staysText("End it with </invoke></function_calls>, always.");
  });

  test("wrapper tags go only when every call in them was recovered", () => {
    expect(
      salvaged(
        `a ${wrapped("\n", invoke("list"), "\n", invoke("list"), "\n")} b`,
      ).filter((entry) => typeof entry !== "string" || entry.trim() !== ""),
    ).toEqual(["a ", ["list", {}], ["list", {}], " b"]);
  });

  test("wrappers with mixed tools: the unknown one keeps its markup, byte for byte", () => {
    const unknown = invoke("write", { path: "\t<b>&amp;\r\n" });
    expect(salvaged(`a ${wrapped(invoke("list"), unknown)} b`)).toEqual([
      "a <function_calls>",
      ["list", {}],
      `${unknown}</function_calls> b`,
    ]);
    expect(salvaged(`a ${wrapped(unknown, invoke("list"))} b`)).toEqual([
      `a <function_calls>${unknown}`,
      ["list", {}],
      "</function_calls> b",
    ]);
  });

  test("a quoted block keeps its wrapper beside one that was recovered", () => {
    const quoted = `\`\`\`\n${LEAK}\n\`\`\`\n`;
    expect(salvaged(`${quoted}${LEAK}\n${quoted}`)).toEqual([
      quoted,
      ["read", { path: "a.md" }],
      `\n${quoted}`,
    ]);
  });

  test("text before, between and after keeps its order", () => {
    expect(salvaged(`one ${LEAK} two ${wrapped(invoke("list"))} three`))
      .toEqual([
        "one ",
        ["read", { path: "a.md" }],
        " two ",
        ["list", {}],
        " three",
      ]);
  });

  test("order of text and native calls: held text is flushed before one", async () => {
    const native: Part = {
      type: "tool-call",
      toolCallId: "n",
      toolName: "native",
      input: {},
      origin: "native",
    };
    const text = `one ${LEAK} two`;
    for (let at = 1; at < text.length; at++) {
      const parts = run(salvager()(), [
        text.slice(0, at),
        native,
        text.slice(at),
      ]);
      const index = parts.indexOf(native);
      expect(coverage(parts.slice(0, index)), text.slice(0, at)).toBe(at);
    }
    // The same through the editor's parts.
    const response = (async function* () {
      yield { value: "held <function_ca" };
      yield { callId: "n", name: "native", input: {} };
      yield { value: `lls> ${LEAK}` };
    })();
    const parts: Part[] = [];
    for await (const part of fromVscodeLm(response, { tools })) {
      parts.push(part);
    }
    expect(brief(parts)).toEqual([
      "held <function_ca",
      ["native", {}],
      "lls> ",
      ["read", { path: "a.md" }],
    ]);
  });
});

describe("C2, parameters convert by the tool's JSON Schema", () => {
  /** What a value becomes; `undefined` when the call stays text. */
  function converted(schema: unknown, value: string): unknown {
    const offered = [{
      name: "f",
      inputSchema: { type: "object", properties: { v: schema } },
    }];
    const text = wrapped(invoke("f", { v: value }));
    const [entry, ...more] = brief(run(salvager(offered)(), [text]));
    expect(more).toEqual([]);
    if (typeof entry !== "string") {
      return (entry![1] as Record<string, unknown>)["v"];
    }
    expect(entry).toBe(text);
    return undefined;
  }

  const values: readonly (readonly [string, unknown, string, unknown])[] = [
    ["number", { type: "number" }, "-1.5e3", -1500],
    ["integer", { type: "integer" }, "42", 42],
    ["boolean", { type: "boolean" }, "false", false],
    ["object", { type: "object" }, '{"a":[1,{"b":null}]}', {
      a: [1, { b: null }],
    }],
    ["array", { type: "array" }, '[1,"2",true]', [1, "2", true]],
    ["null", { type: "null" }, "null", null],
    ["string", { type: "string" }, " 1 \n", " 1 \n"],
  ];
  for (const [type, schema, text, value] of values) {
    test(type, () => {
      expect(converted(schema, text)).toEqual(value);
    });
  }

  test("nullable unions: null is null, everything else the other type", () => {
    const unions = [
      (type: string) => ({ type: [type, "null"] }),
      (type: string) => ({ anyOf: [{ type }, { type: "null" }] }),
      (type: string) => ({ oneOf: [{ type: "null" }, { type }] }),
      (type: string) => ({ type, nullable: true }),
    ];
    for (const union of unions) {
      for (const [type, , text, value] of values) {
        if (type === "null") continue;
        expect(converted(union(type), "null"), type).toBe(null);
        expect(converted(union(type), text), type).toEqual(value);
      }
      expect(converted(union("integer"), "nul")).toBe(undefined);
    }
  });

  test("one that does not convert leaves the call as text", () => {
    for (
      const [type, text] of [
        ["number", "many"],
        ["integer", "1.5"],
        ["boolean", "yes"],
        ["object", "{a"],
        ["object", "[1]"],
        ["array", "1, 2"],
        ["null", "none"],
      ]
    ) expect(converted({ type }, text!), `${type} ${text}`).toBe(undefined);
  });
});

describe("C3, window-safe tool results", () => {
  type Message = { role: string; content: unknown };

  /** A conversation in which calls gave results of these lengths. */
  function talk(
    ...results: readonly string[]
  ): Message[] {
    return [
      { role: "user", content: "Go" },
      ...results.flatMap((content, index): Message[] => [
        {
          role: "assistant",
          content: [{
            type: "tool_use",
            id: `t${index}`,
            name: "read",
            input: {},
          }],
        },
        {
          role: "user",
          content: [{
            type: "tool_result",
            tool_use_id: `t${index}`,
            content,
          }],
        },
      ]),
    ];
  }

  const texts = (messages: readonly Message[]): string[] =>
    messages.flatMap(({ content }) =>
      Array.isArray(content)
        ? content.flatMap((block) =>
          block.type === "tool_result" ? [block.content as string] : []
        )
        : []
    );

  const count = (text: string): number => text.length;

  test("the largest first", async () => {
    const messages = talk("a".repeat(3_000), "b".repeat(9_000), "c");
    const { messages: fitted, shortened } = await fitToolResults(messages, {
      budget: 8_000,
      count,
    });
    expect(shortened.map(({ toolCallId }) => toolCallId)).toEqual(["t1"]);
    expect(texts(fitted)[0]!.length).toBe(3_000);
  });

  test("keeping head and tail", async () => {
    const { messages } = await fitToolResults(
      talk(`HEAD${"x".repeat(9_000)}TAIL`),
      { budget: 2_000, count },
    );
    const [text] = texts(messages);
    expect([text!.slice(0, 4), text!.slice(-4)]).toEqual(["HEAD", "TAIL"]);
  });

  test("never splitting a surrogate pair", async () => {
    for (let budget = 1_200; budget < 1_260; budget++) {
      const { messages } = await fitToolResults(
        talk("\u{1f680}".repeat(5_000)),
        { budget, count },
      );
      expect(texts(messages)[0]!.isWellFormed()).toBe(true);
      expect(texts(messages)[0]!).not.toContain("\ufffd");
    }
  });

  test("pairs intact: every call has its result and every result its call", async () => {
    const messages = talk(
      ...Array.from({ length: 20 }, () => "x".repeat(4_000)),
    );
    const fitted = await fitToolResults(messages, { budget: 30_000, count });
    expect(fitted.messages.length).toBe(messages.length);
    expect([fitted.missingResults, fitted.orphans]).toEqual([[], []]);
    for (const [index, message] of fitted.messages.entries()) {
      if (message.role === "assistant" || index === 0) {
        expect(message).toBe(messages[index]);
      }
    }
  });

  test("each at least a stated floor", async () => {
    const { messages } = await fitToolResults(
      talk("x".repeat(5_000), "y".repeat(5_000), "short"),
      { budget: 1_700, count, minChars: 700 },
    );
    const lengths = texts(messages).map(({ length }) => length);
    expect(Math.min(lengths[0]!, lengths[1]!)).toBeGreaterThanOrEqual(700);
    expect(lengths[2]).toBe(5);
  });

  test("against the real remaining budget: what is reserved is taken off", async () => {
    const { total } = await fitToolResults(talk("x".repeat(50_000)), {
      budget: 10_000,
      reserve: { system: 2_000, tools: 3_000, answer: 1_000 },
      count,
    });
    expect(total).toBeLessThanOrEqual(4_000);
    expect(total).toBeGreaterThan(3_500);
  });

  test("a raw budget below the floor is an error, not a reason to send the floor", async () => {
    for (const budget of [900, 10, 0, -5]) {
      await expect(
        fitToolResults(talk("x".repeat(5_000)), {
          budget,
          count,
          minChars: 1_000,
        }),
      ).rejects.toThrow(OverBudgetError);
    }
    // What is small enough needs no floor.
    expect(
      (await fitToolResults(talk("x".repeat(500)), {
        budget: 900,
        count,
        minChars: 1_000,
      })).shortened,
    ).toEqual([]);
  });

  test("counted by the model's own counter, which takes its time", async () => {
    let calls = 0;
    const { total } = await fitToolResults(talk("x".repeat(50_000)), {
      budget: 5_000,
      count: async (text) => {
        calls++;
        await Promise.resolve();
        return text.length / 2;
      },
    });
    expect(total).toBeLessThanOrEqual(5_000);
    expect(calls).toBeGreaterThan(0);
    expect(calls).toBeLessThan(20);
  });

  test("else by a documented estimate", async () => {
    const messages = talk("x".repeat(50_000));
    const { messages: fitted, total } = await fitToolResults(messages, {
      budget: 5_000,
    });
    expect(total).toBeLessThanOrEqual(5_000);
    const estimate = estimateTokens(texts(fitted).join(""));
    expect(total).toBeGreaterThanOrEqual(estimate);
  });

  test("what still does not fit is an explicit error that says what to do", async () => {
    const error = await fitToolResults(talk("x".repeat(5_000)), {
      budget: 500,
      count,
    }).catch((reason) => reason);
    expect(error).toBeInstanceOf(OverBudgetError);
    expect(error.over).toBe(error.needed - 500);
    expect(error.message).toMatch(
      /Cannot fit .* into 500 tokens: .* too many; .*"t0".*; drop or summarise/,
    );
  });
});

describe("C, all of it", () => {
  test("the same calls and text from the editor's parts, in every cutting", async () => {
    const text = `\u{1f680} ${LEAK} then \`\`\`\n${LEAK}\n\`\`\` and`;
    const expected = brief(
      parse(
        text,
        new SurrogateSanitizerStream(),
        salvager()(),
      ),
    );
    for (let at = 1; at < text.length; at++) {
      const response = (async function* () {
        for (const value of cut(text, [at])) yield { value };
      })();
      const parts: Part[] = [];
      for await (const part of fromVscodeLm(response, { tools })) {
        parts.push(part);
      }
      expect(brief(parts)).toEqual(expected);
    }
  });
});
