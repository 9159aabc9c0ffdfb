/**
 * Requirement A, a streaming directive parser that leaves code alone: the lines
 * that have no test of their name in transforms/directive_extractor.test.ts,
 * where "requirement A" has the edge cases.
 */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  collectParts,
  DirectiveExtractorStream,
  type DirectiveExtractorStreamOptions,
  type Part,
  toReadableStream,
} from "../mod.ts";
import {
  checkConservation,
  coverage,
  cuttings,
  markupText,
  merged,
  random,
  run,
  RUNS,
} from "./laws.ts";

const directives = ["log_message", "message", "level"];

function extractor(
  options: DirectiveExtractorStreamOptions = {},
): DirectiveExtractorStream {
  return new DirectiveExtractorStream({ directives, ...options });
}

/** The text, and the content of the directives. */
function read(
  chunks: readonly string[],
  options?: DirectiveExtractorStreamOptions,
): { text: string; contents: string[] } {
  const { text, directives } = collectParts(run(extractor(options), chunks));
  return { text, contents: directives.map(({ content }) => content) };
}

describe("the code-block machine in the loose mode", () => {
  const MARK = "<level>x</level>";

  /** Whether a directive behind these chunks is one. */
  function fires(...chunks: string[]): boolean {
    return read([...chunks, MARK], { mode: "loose" }).contents.length === 1;
  }

  test("outside", () => {
    expect(fires("text ")).toBe(true);
    expect(fires("```code``` ")).toBe(true);
  });

  test("inside", () => {
    expect(fires("text ```")).toBe(false);
    expect(fires("```a``` b ```\n")).toBe(false);
  });

  test("partial start: one or two backticks may become a fence, or stay text", () => {
    for (const start of [["`", "``"], ["``", "`"], ["`", "`", "`"]]) {
      expect(fires("text ", ...start, "\n"), start.join("|")).toBe(false);
    }
    for (const start of [["`"], ["``"], ["`", "`"]]) {
      expect(fires("text ", ...start, "\n\n"), start.join("|")).toBe(true);
    }
  });

  test("partial end: one or two backticks may end a fence, or stay code", () => {
    for (const end of [["`", "``"], ["``", "`"], ["`", "`", "`"]]) {
      expect(fires("```\ncode\n", ...end, "\n"), end.join("|")).toBe(true);
    }
    for (const end of [["`"], ["``"], ["`", "`"]]) {
      expect(fires("```\ncode\n", ...end, "x\n"), end.join("|")).toBe(false);
    }
  });
});

test("the fence split over chunks: one backtick, then two", () => {
  const code = "```\n<level>x</level>\n```";
  for (
    const chunks of [
      ["a\n`", "``\n<level>x</level>\n```\nb<level>y</level>"],
      ["a\n``", "`\n<level>x</level>\n``", "`\nb<level>y</level>"],
      [
        "a\n",
        "`",
        "`",
        "`",
        "\n<level>x</level>\n`",
        "`",
        "`\nb<level>y</level>",
      ],
    ]
  ) {
    expect(read(chunks)).toEqual({ text: `a\n${code}\nb`, contents: ["y"] });
  }
});

test("several blocks in one message: every one is suppressed, in every cutting", () => {
  const text = "a\n```\n<level>1</level>\n```\n<level>2</level>\n" +
    "````md\n```\n<level>3</level>\n```\n````\n<level>4</level>\n" +
    "~~~\n<level>5</level>\n~~~\n<level>6</level>";
  for (const chunks of cuttings(text)) {
    expect(read(chunks).contents).toEqual(["2", "4", "6"]);
  }
});

describe("cost", () => {
  /** Prose with comparisons, links and directives, and no code. */
  function prose(length: number): string {
    const next = random(3);
    const words = ["word ", "if a < b, ", "a longer sentence of words. ", "\n"];
    const pieces: string[] = [];
    for (let left = length; left > 0;) {
      const piece = next() < 0.005
        ? "<level>warn</level> "
        : words[Math.floor(next() * words.length)]!;
      pieces.push(piece);
      left -= piece.length;
    }
    return pieces.join("");
  }

  /** The shortest time of a run, in milliseconds: other processes only make it longer. */
  async function shortest(
    times: number,
    work: () => void | Promise<void>,
  ): Promise<number> {
    let best = Infinity;
    for (let round = 0; round < times; round++) {
      const before = performance.now();
      await work();
      best = Math.min(best, performance.now() - before);
    }
    return best;
  }

  // bench/directive_cost.ts measures the whole stream with and without. What
  // the two differ by is in the synchronous part, where it can be told from noise.
  test(
    "less than 10 % slower on messages without code than with code awareness off",
    async () => {
      const text = prose(100_000);
      const chunks: string[] = [];
      for (let at = 0; at < text.length; at += 4) {
        chunks.push(text.slice(at, at + 4));
      }
      const push = (codeAware: boolean) => (): void => {
        const { stage } = extractor({ codeAware });
        for (const chunk of chunks) stage.push(chunk, () => {});
        stage.end(() => {});
      };
      const stream = async (): Promise<void> => {
        const parts = toReadableStream(chunks).pipeThrough(
          extractor({ codeAware: false }),
        );
        const reader = parts.getReader();
        while (!(await reader.read()).done);
      };
      let without = Infinity;
      let aware = Infinity;
      let whole = Infinity;
      let added = Infinity;
      for (let tries = 0; tries < 20 && added >= 0.1; tries++) {
        without = Math.min(without, await shortest(10, push(false)));
        aware = Math.min(aware, await shortest(10, push(true)));
        whole = Math.min(whole, await shortest(2, stream));
        added = (aware - without) / whole;
      }
      expect(added).toBeLessThan(0.1);
    },
    60_000,
  );

  test("memory stays flat on long messages, also in an open block or directive", () => {
    const texts: Record<string, string> = {
      prose: prose(20_000),
      "an open block": `\`\`\`\n${"code <level> ` ``\n".repeat(1_000)}`,
      "an open directive": `<message>${"content < \n".repeat(1_000)}`,
    };
    for (const [name, text] of Object.entries(texts)) {
      const stream = extractor({ maxContentLength: 5_000 });
      const sizes: number[] = [];
      for (let round = 0; round < 20; round++) {
        stream.stage.push(round === 0 ? text : text.slice(20), () => {});
        sizes.push(JSON.stringify(stream.snapshot()).length);
      }
      expect(Math.max(...sizes), name).toBeLessThan(20_000);
      // No more after twenty times the text than after twice.
      expect(sizes.at(-1)!, name).toBeLessThan(sizes[1]! + 1_000);
    }
  });

  test("nothing is parsed again from the start: what has been read is gone", () => {
    const stream = extractor();
    const seen = (): string => JSON.stringify(stream.snapshot());
    for (let line = 0; line < 1_000; line++) {
      stream.stage.push(`<message>line-${line} of it`, () => {});
      expect(seen()).toContain(`line-${line}`);
      stream.stage.push("</message> and prose\n\n", () => {});
      expect(seen()).not.toContain(`line-${line}`);
      expect(seen().length).toBeLessThan(5_000);
    }
  });

  test("and what has been told is not told again", () => {
    const { stage } = extractor();
    let told = 0;
    const parts: Part[] = [];
    const text = prose(5_000);
    for (const character of text) {
      stage.push(character, (part) => parts.push(part));
      const covered = coverage(parts);
      expect(covered).toBeGreaterThanOrEqual(told);
      told = covered;
    }
    stage.end((part) => parts.push(part));
    checkConservation(text, parts);
  });
});

describe("a fault degrades to text, and nothing throws", () => {
  test("whatever comes", () => {
    const limits = fc.record({
      mode: fc.constantFrom("tolerant", "commonmark", "loose"),
      maxContentLength: fc.integer({ min: 1, max: 40 }),
      maxOpenerLength: fc.integer({ min: 1, max: 40 }),
      maxDepth: fc.integer({ min: 1, max: 3 }),
      reasoning: fc.boolean(),
    }, { requiredKeys: [] });
    fc.assert(
      fc.property(
        fc.oneof(markupText(["<level>", "</level>", "<message"]), fc.string()),
        limits,
        (text, options) => {
          const parts = run(
            extractor(options as DirectiveExtractorStreamOptions),
            text.split(""),
          );
          checkConservation(text, parts);
        },
      ),
      { numRuns: RUNS },
    );
  });

  test("a schema that throws leaves the directive without a value", () => {
    const parts = run(
      extractor({
        directives: {
          level: {
            schema: {
              "~standard": {
                version: 1,
                vendor: "test",
                validate: () => {
                  throw new Error("broken");
                },
              },
            },
          },
        },
      }),
      ["a <level>x</level> b"],
    );
    const [directive] = collectParts(parts).directives;
    expect(directive).toMatchObject({ content: "x", complete: true });
    expect(directive).not.toHaveProperty("value");
    expect(parts.some(({ type }) => type === "warning")).toBe(true);
  });

  test("markup that is broken, cut or over a limit comes out as it came", () => {
    for (
      const text of [
        "<level",
        "<level a='",
        "</level>",
        "<level a b c=>",
        `<level a="${"x".repeat(10_000)}">y</level>`,
      ]
    ) {
      const parts = merged(run(extractor(), [text]));
      checkConservation(text, parts);
      expect(collectParts(parts).text.length, text.slice(0, 20))
        .toBeGreaterThan(0);
    }
  });
});
