/** Hostile input: nothing throws, hangs, grows without a limit, or is taken for something else. */
import { describe, expect, test } from "vitest";
import { OpenAIChatEncoderStream } from "../adapters/encode_openai_chat.ts";
import { AnthropicEncoderStream } from "../adapters/encode_anthropic.ts";
import { JSONLEncoderStream } from "../adapters/encode_jsonl.ts";
import { SSEEncoderStream } from "../adapters/encode_sse.ts";
import { JSONLParserStream } from "../adapters/jsonl_parser.ts";
import { providers } from "../adapters/providers/mod.ts";
import { SSEParserStream } from "../adapters/sse_parser.ts";
import {
  collectParts,
  DirectiveExtractorStream,
  FenceTrackerStream,
  parse,
  type Part,
  SnippetExtractorStream,
  type Stage,
  type StageStream,
  standardPipeline,
  SurrogateSanitizerStream,
  type Tool,
  ToolCallSalvagerStream,
} from "../mod.ts";
import { RandomSource } from "./fuzz/random_source.ts";
import { checkConservation, RUNS } from "./laws.ts";

const TOOLS: readonly Tool[] = [{
  name: "read",
  inputSchema: {
    type: "object",
    properties: { path: { type: "string" }, list: { type: "array" } },
  },
}];

/** How much a stage of these may hold: limits of candidate, values, content. */
const LIMIT = 4_096;

/** The stages, with small limits where the default ones are large. */
const STAGES: Readonly<
  Record<string, () => StageStream<string | Part, string | Part>>
> = {
  "surrogate sanitizer": () => new SurrogateSanitizerStream(),
  "fence tracker": () => new FenceTrackerStream(),
  "fence tracker with spans": () =>
    new FenceTrackerStream({ mode: "commonmark", inline: "hold" }),
  "fence tracker, loose": () => new FenceTrackerStream({ mode: "loose" }),
  "directive extractor": () =>
    new DirectiveExtractorStream({
      directives: ["log", "note", "think"],
      maxContentLength: LIMIT,
    }),
  "directive extractor, whole directives": () =>
    new DirectiveExtractorStream({
      directives: { log: { fields: ["level"] } },
      unclosed: "text",
      partials: true,
      maxContentLength: LIMIT,
    }),
  "directive extractor, containers": () =>
    new DirectiveExtractorStream({
      directives: ["log"],
      dialect: "container",
      maxContentLength: LIMIT,
    }),
  "tool-call salvager": () =>
    new ToolCallSalvagerStream({
      tools: TOOLS,
      bare: "line-start",
      maxCandidateLength: LIMIT,
      maxValueLength: LIMIT,
    }),
  "snippet extractor": () =>
    new SnippetExtractorStream({
      guess: true,
      tagBlocks: true,
      maxContentLength: LIMIT,
    }),
  "standard pipeline": () =>
    standardPipeline({
      tools: TOOLS,
      directives: ["log", "think"],
      toolCalls: { maxCandidateLength: LIMIT, maxValueLength: LIMIT },
      directiveOptions: { maxContentLength: LIMIT },
      snippets: { maxContentLength: LIMIT },
    }),
};

/** What a flood is made of: one thing over and over, or one after the other. */
const FLOODS: Readonly<Record<string, string | ((count: number) => string)>> = {
  "<": "<",
  ">": ">",
  "`": "`",
  "double quotes": '"',
  "letters": "a",
  "LF": "\n",
  "CR": "\r",
  "CRLF": "\r\n",
  "blanks": " ",
  "tabs": "\t",
  "back-slashes": "\\",
  "braces": "{",
  "brackets": "[",
  "colons": ":",
  "~": "~",
  "high halves": "\ud83d",
  "low halves": "\ude00",
  "NUL": "\0",
  "byte order marks": "\ufeff",
  "nested quotes": "> ",
  "nested lists": "- ",
  "list items": "- a\n",
  "numbered items": (count) => `${count % 999}. `,
  "opening fences": "```js\n",
  "fences of growing length": (count) => `${"`".repeat(3 + count % 40)}\n`,
  "spans": "`a` ",
  "runs of all lengths": (count) => `${"`".repeat(1 + count % 50)}a `,
  "link definitions": (count) => `[l${count}]: /u\n`,
  "HTML blocks": "<div>\n",
  "comments": "<!--",
  "entities": "&amp;",
  "openers of a directive": "<log>",
  "closers of a directive": "</log>",
  "directives": "<log>x</log>",
  "attributes without an end": (count) => `<log a${count}="b" `,
  "openers of reasoning": "<think>",
  "containers": ":::log\n",
  "openers of a wrapper": "<tool_call>",
  "quoted openers of a wrapper": "`<tool_call>` ",
  "openers of calls": '<invoke name="read">',
  "openers of values":
    '<function_calls><invoke name="read"><parameter name="path">',
  "values without an end": '<tool_call>{"name":"read","arguments":{"path":"',
  "calls of unknown tools": (count) =>
    `<tool_call>{"name":"x${count}","arguments":{}}</tool_call>`,
  "calls": '<tool_call>{"name":"read","arguments":{"path":"a"}}</tool_call>',
  "half of an opener": "<｜DSML｜",
  "JSON arrays": '{"a":[',
  "paths": (count) => `**a/b${count}.ts**\n\n\`\`\`ts\nx\n\`\`\`\n`,
};

/** A flood of this length. */
function flood(
  of: string | ((count: number) => string),
  length: number,
): string {
  if (typeof of === "string") {
    return of.repeat(Math.ceil(length / of.length));
  }
  const pieces: string[] = [];
  for (let count = 0, size = 0; size < length; count++) {
    const piece = of(count);
    pieces.push(piece);
    size += piece.length;
  }
  return pieces.join("");
}

/** Far more than linear time takes, far less than quadratic time does. */
const MOST_MILLISECONDS = 2_000;

/** All limits together, with what JSON puts around; no multiple of the input. */
const LARGEST_SNAPSHOT = 64 * 1024;

describe("floods", () => {
  const length = RUNS >= 5000 ? 400_000 : 20_000;
  for (const [stage, make] of Object.entries(STAGES)) {
    test(
      `through the ${stage}: in linear time, little is kept, nothing is lost`,
      () => {
        for (const [name, of] of Object.entries(FLOODS)) {
          const text = flood(of, length);
          const stream = make();
          const parts: Part[] = [];
          let start = 0;
          const emit = (part: string | Part): void => {
            if (typeof part === "string") {
              parts.push({ type: "text", text: part, start });
              start += part.length;
            } else parts.push(part);
          };
          const before = performance.now();
          for (let at = 0; at < text.length; at += 20) {
            stream.stage.push(text.slice(at, at + 20), emit);
          }
          const kept = JSON.stringify(stream.snapshot()).length;
          stream.stage.end(emit);
          const time = performance.now() - before;
          const wanted = /sanitizer|pipeline/.test(stage)
            ? text.replace(/[\ud800-\udfff]/g, "\ufffd")
            : text;
          checkConservation(text, parts, wanted);
          expect(kept, `kept of ${name}`).toBeLessThan(LARGEST_SNAPSHOT);
          expect(time, `milliseconds for ${name}`).toBeLessThan(
            MOST_MILLISECONDS * length / 20_000,
          );
        }
      },
      120_000,
    );
  }
});

/** Everything a stage gives for these inputs. */
function outputs<In, Out>(stage: Stage<In, Out>, inputs: readonly In[]): Out[] {
  const all: Out[] = [];
  for (const input of inputs) stage.push(input, (output) => all.push(output));
  stage.end((output) => all.push(output));
  return all;
}

describe("floods over the wire", () => {
  const small = { maxBufferSize: LIMIT, maxLineChars: LIMIT };

  test("an event without an end fails at its limit", () => {
    const { stage } = new SSEParserStream(small);
    let pushed = 0;
    expect(() => {
      for (; pushed < 10_000; pushed++) {
        stage.push("data: abcdefgh\n", () => {});
      }
    }).toThrow("an event has more than 4096 characters");
    expect(pushed * 15).toBeLessThan(2 * LIMIT);
  });

  test("lines without an end are cut at theirs", () => {
    const { stage } = new JSONLParserStream({ maxLineChars: LIMIT });
    const records: unknown[] = [];
    for (let count = 0; count < 10_000; count++) {
      stage.push('{"a":"0123456789', (record) => records.push(record));
    }
    expect(JSON.stringify(stage.snapshot()).length).toBeLessThan(
      LARGEST_SNAPSHOT,
    );
    stage.end((record) => records.push(record));
    expect(records).toMatchObject([{ ok: false, kind: "line-too-long" }]);
  });

  test("calls that never end, in every number, are dropped beyond the limits", () => {
    const chat = providers.find(({ name }) => name === "openai-chat")!;
    const decoder = chat.create({ maxOpenCalls: 8, maxArgumentChars: 100 });
    const parts: Part[] = [];
    const emit = (part: Part): void => {
      parts.push(part);
    };
    for (let index = 0; index < 2_000; index++) {
      const call = {
        index,
        id: `c${index}`,
        function: { name: "read", arguments: '{"path":"aaaaaaaaaa' },
      };
      decoder.push({
        data: JSON.stringify({
          choices: [{ index: 0, delta: { tool_calls: [call] } }],
        }),
      }, emit);
    }
    for (let count = 0; count < 200; count++) {
      const call = { index: 0, function: { arguments: "bbbbbbbbbb" } };
      decoder.push({
        data: JSON.stringify({
          choices: [{ index: 0, delta: { tool_calls: [call] } }],
        }),
      }, emit);
    }
    expect(JSON.stringify(decoder.snapshot()).length).toBeLessThan(
      LARGEST_SNAPSHOT,
    );
    decoder.end(emit);
    const { toolCalls, partialToolCalls, warnings } = collectParts(parts);
    expect(toolCalls).toEqual([]);
    expect(partialToolCalls.length).toBeLessThan(10);
    expect(warnings.some(({ code }) => code === "limit")).toBe(true);
  });
});

const DEPTH = 20_000;
const DEEP = "[".repeat(DEPTH) + "]".repeat(DEPTH);

describe("deep nesting", () => {
  test("of JSON in a call's arguments is refused", () => {
    for (
      const text of [
        `<tool_call>{"name":"read","arguments":{"path":${DEEP}}}</tool_call>`,
        `<tool_call>{"name":"read","arguments":{"list":${DEEP}}}</tool_call>`,
        '<function_calls><invoke name="read"><parameter name="list">' +
        `${DEEP}</parameter></invoke></function_calls>`,
      ]
    ) {
      const parts = parse(text, new ToolCallSalvagerStream({ tools: TOOLS }));
      expect(parts.some(({ type }) => type === "tool-call")).toBe(false);
      checkConservation(text, parts);
    }
  });

  test("of a tool's schema is read as far as anyone can", () => {
    let schema: Record<string, unknown> = { type: "string" };
    for (let depth = 0; depth < 20_000; depth++) schema = { anyOf: [schema] };
    const cycle: Record<string, unknown> = { type: "object" };
    cycle["properties"] = { path: schema, self: cycle };
    cycle["allOf"] = [cycle];
    const tools = [{ name: "read", inputSchema: cycle }];
    const parts = parse(
      '<tool_call>{"name":"read","arguments":{"path":"a","self":{"self":{}}}}</tool_call>',
      new ToolCallSalvagerStream({ tools }),
    );
    expect(collectParts(parts).toolCalls.map(({ input }) => input)).toEqual([
      { path: "a", self: { self: {} } },
    ]);
  });

  test("of directives is counted up to a limit", () => {
    const text = "<log>".repeat(5_000) + "x" + "</log>".repeat(5_000);
    const parts = parse(
      text,
      new DirectiveExtractorStream({ directives: ["log"] }),
    );
    checkConservation(text, parts);
    expect(collectParts(parts).warnings.map(({ code }) => code)).toContain(
      "limit",
    );
  });

  test("of block quotes and lists is counted up to a limit", () => {
    const text = `${"> - ".repeat(5_000)}\`\`\`\nx`;
    const parts = parse(text, new FenceTrackerStream());
    checkConservation(text, parts);
    expect(parts.some(({ type }) => type === "fence-start")).toBe(false);
    expect(collectParts(parts).warnings.map(({ code }) => code)).toEqual([
      "limit",
    ]);
  });

  test("of JSON over the wire breaks no decoder", () => {
    for (const provider of providers) {
      const parts = outputs(provider.create({}), [
        { data: DEEP },
        { data: `{"a":${DEEP}}` },
        {
          data: `{"type":"x","choices":${DEEP},"candidates":${DEEP},` +
            `"message":${DEEP},"delta":${DEEP},"content":${DEEP}}`,
        },
        {
          data:
            `{"message":{"tool_calls":[{"function":{"name":"","arguments":` +
            `{"a":${DEEP}}}}]}}`,
        },
      ]);
      expect(parts.at(-1)?.type, provider.name).toBe("finish");
    }
  });

  test("of a call's arguments breaks no encoder: what cannot be written looks cut", () => {
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    // Some runtimes write the first one; none can write the others.
    for (const input of [JSON.parse(DEEP), cycle, { big: 1n }]) {
      const parts: Part[] = [
        {
          type: "tool-call",
          toolCallId: "1",
          toolName: "read",
          input,
          origin: "native",
        },
        { type: "finish", reason: "tool-calls", complete: true },
      ];
      let isWritten = true;
      try {
        JSON.stringify(input);
      } catch {
        isWritten = false;
      }
      const texts = [
        new OpenAIChatEncoderStream(),
        new AnthropicEncoderStream(),
        new SSEEncoderStream(),
        new JSONLEncoderStream(),
      ].map((stream) => parse(parts, stream).join(""));
      if (isWritten) continue;
      expect(texts[0]).toContain('"finish_reason":"length"');
      expect(texts[1]).toContain('"stop_reason":"max_tokens"');
      expect(texts[2]).toContain('"code":"malformed"');
      expect(texts[3]).toContain('"code":"malformed"');
    }
  });
});

describe("keys that objects have already", () => {
  const KEYS = ["__proto__", "constructor", "toString", "hasOwnProperty"];

  function expectClean(): void {
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Record<string, unknown>)["polluted"]).toBe(undefined);
  }

  test("are arguments like others", () => {
    for (const key of KEYS) {
      for (
        const text of [
          `<tool_call>{"name":"read","arguments":{"${key}":{"polluted":1}}}</tool_call>`,
          `<tool_call>{"name":"read","arguments":{${key}:{"polluted":1},}}</tool_call>`,
          `<function_calls><invoke name="read"><parameter name="${key}">{"polluted":1}` +
          "</parameter></invoke></function_calls>",
          `<|python_start|>[read(${key}={"polluted": 1})]<|python_end|>`,
          `<|tool_call>call:read{${key}:{polluted:1}}<tool_call|>`,
        ]
      ) {
        const { toolCalls } = collectParts(
          parse(text, new ToolCallSalvagerStream({ tools: TOOLS })),
        );
        expect(toolCalls.length, text).toBe(1);
        const input = toolCalls[0]!.input as object;
        expect(Object.keys(input), text).toEqual([key]);
        expect(Object.getPrototypeOf(input), text).toBe(Object.prototype);
      }
    }
    expectClean();
  });

  test("are tools only when they were offered", () => {
    for (const key of KEYS) {
      const text = `<tool_call>{"name":"${key}","arguments":{}}</tool_call>`;
      expect(
        collectParts(parse(text, new ToolCallSalvagerStream({ tools: TOOLS })))
          .toolCalls,
      ).toEqual([]);
      expect(
        collectParts(
          parse(text, new ToolCallSalvagerStream({ tools: [{ name: key }] })),
        ).toolCalls.map(({ toolName }) => toolName),
      ).toEqual([key]);
    }
  });

  test("are attributes and fields of directives like others", () => {
    for (const key of KEYS) {
      const parts = parse(
        `<log ${key}="a"><${key}>b</${key}></log>`,
        new DirectiveExtractorStream({
          directives: { log: { fields: [key] } },
        }),
      );
      const [directive] = collectParts(parts).directives;
      expect(Object.entries(directive!.attributes), key).toEqual([[key, "a"]]);
      expect(Object.entries(directive!.fields ?? {}), key).toEqual([[
        key,
        "b",
      ]]);
    }
    expectClean();
  });

  test("are keys over the wire like others", () => {
    const nested =
      '{"__proto__":{"polluted":1,"type":"text"},"constructor":{"prototype":{"polluted":1}}}';
    for (const provider of providers) {
      outputs(provider.create({}), [
        { data: nested },
        { data: `{"type":"x","message":${nested},"delta":${nested}}` },
        { data: `{"choices":[{"delta":${nested}}],"usage":${nested}}` },
        { data: `{"candidates":[{"content":{"parts":[${nested}]}}]}` },
      ]);
    }
    expectClean();
    const [record] = parse([`${nested}\n`], new JSONLParserStream());
    expect(record!.ok && Object.keys(record!.value as object)).toEqual([
      "__proto__",
      "constructor",
    ]);
    expectClean();
  });
});

describe("characters that look like nothing, or like others", () => {
  const odd: Readonly<Record<string, string>> = {
    "a letter of another alphabet": "r\u0435ad",
    "a full-width letter": "re\uff41d",
    "a bidirectional control": "re\u202ead",
    "a blank of no width": "re\u200bad",
    "a joiner": "re\u200dad",
    "a soft hyphen": "re\u00adad",
    "a NUL": "re\0ad",
    "a byte order mark": "\ufeffread",
    "half a surrogate pair": "re\ud83dad",
    "another case": "Read",
    "a combining mark": "re\u0301ad",
  };

  for (const [what, name] of Object.entries(odd)) {
    test(`${what} makes another tool, and that is said`, () => {
      const json = JSON.stringify({ name, arguments: { path: "a" } });
      for (
        const text of [
          `<tool_call>${json}</tool_call>`,
          `<tool_call>{"name":"${name}","arguments":{}}</tool_call>`,
          `<function_calls><invoke name="${name}"></invoke></function_calls>`,
          `<tool_call><function=${name}></function></tool_call>`,
        ]
      ) {
        const parts = parse(text, new ToolCallSalvagerStream({ tools: TOOLS }));
        expect(collectParts(parts).toolCalls, text).toEqual([]);
        checkConservation(text, parts);
        expect(collectParts(parts).warnings.length, text).toBeGreaterThan(0);
      }
    });

    test(`${what} makes another directive`, () => {
      const text = `<${name}>x</${name}>`;
      const parts = parse(
        text,
        new DirectiveExtractorStream({ directives: ["read"] }),
      );
      checkConservation(text, parts);
      expect(collectParts(parts).directives).toEqual([]);
    });
  }

  test("NUL, byte order marks and halves in the middle stay where they are", () => {
    const text = "a\0b\ufeffc\ud83dd\ude00e\u2028f\u0085g";
    for (const [stage, make] of Object.entries(STAGES)) {
      const parts = parse([text], make());
      const left = parts.map((part) =>
        typeof part === "string" ? part : part.type === "text" ? part.text : ""
      ).join("");
      expect(left, stage).toBe(
        /sanitizer|pipeline/.test(stage)
          ? "a\0b\ufeffc\ufffdd\ufffde\u2028f\u0085g"
          : text,
      );
    }
  });

  test("a byte order mark does not hide a fence's end, nor make one", () => {
    const text = "```\na\n\ufeff```\nb\n```\nc";
    const { snippets } = collectParts(
      parse(text, new SnippetExtractorStream()),
    );
    expect(snippets.map(({ content }) => content)).toEqual([
      "a\n\ufeff```\nb\n",
    ]);
  });
});

describe("snapshots that were tampered with", () => {
  const wrong: readonly unknown[] = [
    null,
    0,
    "",
    "x",
    [],
    {},
    { millrace: 1 },
    { millrace: 0, stage: "fence-tracker", state: {} },
    { millrace: 1, stage: "fence-tracker" },
    JSON.parse('{"__proto__":{"millrace":1,"stage":"fence-tracker"}}'),
  ];

  test("of another stage or version are refused in words", () => {
    for (const snapshot of wrong) {
      if (snapshot === undefined) continue;
      let error: unknown;
      try {
        new SurrogateSanitizerStream({ snapshot });
      } catch (thrown) {
        error = thrown;
      }
      expect(error instanceof TypeError, JSON.stringify(snapshot)).toBe(true);
      expect((error as Error).message).toContain("Cannot resume");
    }
  });

  /** Changes, adds or takes away one thing somewhere in a value. */
  function tampered(random: RandomSource, value: unknown): unknown {
    if (typeof value !== "object" || value === null) {
      return random.pick(
        [null, -1, 1e9, "", "x", [], {}, true, false].filter((one) =>
          JSON.stringify(one) !== JSON.stringify(value)
        ),
      );
    }
    const entries = Object.entries(value);
    const at = random.below(entries.length + 1);
    const entry = entries[at];
    if (Array.isArray(value)) {
      return entry === undefined
        ? [...value, 0]
        : value.map((item, index) =>
          index === at ? tampered(random, item) : item
        );
    }
    if (entry === undefined) return { ...value, more: 0 };
    if (random.chance(0.2)) entries.splice(at, 1);
    else entry[1] = tampered(random, entry[1]);
    return Object.fromEntries(entries);
  }

  const texts = [
    "a\n> ```js\nlet",
    "<log a='1'>x <lo",
    "`open <log>x</log> ",
    '<function_calls>\n<invoke name="read">\n<parameter name="path">x',
    "<think>\n``` \ud83d",
  ];

  test("whatever was changed in them are refused, before anything runs", () => {
    const random = new RandomSource(3);
    const resumable: Readonly<
      Record<string, (snapshot?: unknown) => { snapshot(): unknown }>
    > = {
      sanitizer: (snapshot) => new SurrogateSanitizerStream({ snapshot }),
      fences: (snapshot) =>
        new FenceTrackerStream({ inline: "hold", snapshot }),
      directives: (snapshot) =>
        new DirectiveExtractorStream({
          directives: ["log", "think"],
          snapshot,
        }),
      salvager: (snapshot) =>
        new ToolCallSalvagerStream({ tools: TOOLS, snapshot }),
      snippets: (snapshot) => new SnippetExtractorStream({ snapshot }),
      sse: (snapshot) => new SSEParserStream({ snapshot }),
      jsonl: (snapshot) => new JSONLParserStream({ snapshot }),
    };
    for (const [name, make] of Object.entries(resumable)) {
      for (const text of texts) {
        const first = make() as StageStream<string, unknown>;
        first.stage.push(text, () => {});
        const snapshot = JSON.parse(JSON.stringify(first.snapshot()));
        // Keys in another order, as a database may give them back, are no change.
        const turned = JSON.parse(
          JSON.stringify(snapshot),
          (_key, value) =>
            typeof value === "object" && value !== null && !Array.isArray(value)
              ? Object.fromEntries(Object.entries(value).reverse())
              : value,
        );
        expect(make(turned).snapshot(), name).toEqual(snapshot);
        for (let count = 0; count < 100; count++) {
          const state = tampered(random, snapshot.state);
          if (JSON.stringify(state) === JSON.stringify(snapshot.state)) {
            continue;
          }
          expect(
            () => make({ ...snapshot, state }),
            `${name} ${JSON.stringify(state)}`,
          ).toThrow("is not as it was made");
        }
      }
    }
  });

  test("change no prototype", () => {
    const snapshot = new FenceTrackerStream().snapshot() as object;
    const state = JSON.parse('{"__proto__":{"polluted":1}}');
    expect(() => new FenceTrackerStream({ snapshot: { ...snapshot, state } }))
      .toThrow(TypeError);
    expect(({} as Record<string, unknown>)["polluted"]).toBe(undefined);
  });
});
