import { describe, expect, test } from "vitest";
import {
  collectParts,
  FenceTrackerStream,
  parse,
  type Part,
  pipeline,
  sanitizeSurrogates,
  standardPipeline,
  type StandardPipelineOptions,
  SurrogateSanitizerStream,
} from "../../mod.ts";
import { RandomSource } from "../fuzz/random_source.ts";
import { checkForms } from "../fuzz/subjects/pipelines.ts";
import {
  checkTextCase,
  randomTextCase,
  runResumed,
} from "../fuzz/subjects/text_stage.ts";
import { caseTexts } from "../fuzz/corpus.ts";
import { merged, run, RUNS } from "../laws.ts";

const TOOL = {
  name: "read",
  inputSchema: {
    type: "object",
    properties: { path: { type: "string" }, line: { type: "integer" } },
  },
} as const;

const OPTIONS: StandardPipelineOptions = {
  tools: [TOOL],
  directives: ["log", "note", "think"],
};

describe("standardPipeline", () => {
  test("finds everything at once", () => {
    const { toolCalls, directives, snippets, text } = collectParts(parse(
      "half \ud83d\n<log>x</log>\n```ts src/a.ts\nlet a;\n```\n" +
        '<tool_call>{"name":"read","arguments":{"path":"a"}}</tool_call>',
      standardPipeline(OPTIONS),
    ));
    expect(toolCalls.map(({ input }) => input)).toEqual([{ path: "a" }]);
    expect(directives.map(({ content }) => content)).toEqual(["x"]);
    expect(snippets.map(({ filePath }) => filePath)).toEqual(["src/a.ts"]);
    expect(text).toBe("half \ufffd\n\n```ts src/a.ts\nlet a;\n```\n");
  });

  test("leaves out the stages that nothing is asked of", () => {
    const text = "<log>x</log>\n```\na\n```\n<tool_call>";
    const parts = parse(text, standardPipeline({ snippets: false }));
    expect(parts).toEqual(
      parse(
        text,
        pipeline(new SurrogateSanitizerStream(), new FenceTrackerStream()),
      ),
    );
  });

  test("no tools and no directives, however that is said, are none", () => {
    for (
      const none of [{}, { tools: [] }, { tools: {} }, { directives: [] }, {
        directives: {},
      }, { tools: undefined, directives: undefined }]
    ) {
      const snapshot = standardPipeline(none as StandardPipelineOptions)
        .snapshot();
      expect([none, (snapshot as unknown[]).length]).toEqual([none, 3]);
    }
    expect(
      standardPipeline({ tools: { read: undefined }, snippets: false })
        .snapshot(),
    ).toHaveLength(3);
    expect(
      standardPipeline({ directiveOptions: { reasoning: true } }).snapshot(),
    )
      .toHaveLength(4);
  });

  test("takes a snapshot of the same stages only", () => {
    const snapshot = standardPipeline(OPTIONS).snapshot();
    expect(() => standardPipeline({ snapshot })).toThrow(TypeError);
    expect(() => standardPipeline({ ...OPTIONS, snapshot: {} })).toThrow(
      TypeError,
    );
    expect(() => standardPipeline({ ...OPTIONS, snapshot: [1, 2, 3, 4, 5] }))
      .toThrow(TypeError);
    expect(standardPipeline({ ...OPTIONS, snapshot }).snapshot()).toEqual(
      snapshot,
    );
  });
});

describe("the five stages give the same parts, one for one", () => {
  test(
    "as a pipeline, as five streams, run at once, and by readParts",
    async () => {
      const random = new RandomSource(20_261_201);
      for (let count = 0; count < Math.max(200, RUNS / 5); count++) {
        await checkForms(randomTextCase(random, "all"));
      }
    },
    120_000,
  );
});

describe("the laws hold for the whole pipeline", () => {
  const variants: Readonly<Record<string, StandardPipelineOptions>> = {
    "with everything": OPTIONS,
    "with reasoning, bare calls and guesses": {
      tools: [TOOL],
      toolCalls: { bare: "line-start" },
      directiveOptions: { reasoning: true },
      snippets: { guess: true },
    },
    "with spans and without half directives": {
      tools: [TOOL],
      directives: { log: { fields: ["level"] } },
      directiveOptions: { unclosed: "text" },
      fences: { mode: "commonmark", inline: "hold" },
    },
  };
  for (const [how, options] of Object.entries(variants)) {
    test(how, () => {
      const random = new RandomSource(how.length);
      for (let count = 0; count < Math.max(40, RUNS / 10); count++) {
        checkTextCase(
          (snapshot) => standardPipeline({ ...options, snapshot }),
          randomTextCase(random, "all"),
          { expected: (text) => sanitizeSurrogates(text), costly: true },
        );
      }
    }, 120_000);
  }
});

test(
  "a snapshot anywhere in the handed cases goes on with the same parts",
  () => {
    const texts = caseTexts(
      "salvage",
      "fence",
      "directive",
      "snippet",
      "surrogate",
    ).filter((text) => text.length <= 1000);
    expect(texts.length).toBeGreaterThan(250);
    const make = (snapshot?: unknown) =>
      standardPipeline({ ...OPTIONS, snapshot });
    for (const [index, text] of texts.entries()) {
      const units = text.split("");
      const parts: Part[] = merged(run(make(), units));
      // Every boundary at high counts of runs, else every eighth, shifted.
      const every = RUNS >= 5000 ? 1 : Math.max(1, units.length >> 3);
      const shift = every === 1 ? 0 : index % every;
      const chunks = shift === 0
        ? units
        : [text.slice(0, shift), ...units.slice(shift)];
      expect(merged(runResumed(make, chunks, every)), text).toEqual(parts);
    }
  },
  600_000,
);
