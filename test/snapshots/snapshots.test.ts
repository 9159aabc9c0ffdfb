/**
 * Every handed case, stopped at every character, goes on from its snapshot: in
 * the same process, and in fresh ones of all runtimes.
 */
import { describe, expect, test } from "vitest";
import { SSEParserStream } from "../../adapters/sse_parser.ts";
import { parse } from "../../mod.ts";
import { caseFiles, readCases } from "../run_cases.ts";
import type { CaseLine } from "../support/cases/area_runner.ts";
import { textOfInput } from "../support/cases/text_case.ts";
import {
  finished,
  joined,
  makeStage,
  resumed,
  type Resumption,
} from "./subjects.ts";
import { fileURLToPath } from "node:url";

const home = fileURLToPath(new URL("../cases", import.meta.url));

/** Longer inputs are stopped at so many places, those of the five stages together at fewer. */
const MOST_PLACES = 600;
const MOST_PLACES_TOGETHER = 40;

/** From so many places of each case a fresh process goes on. */
const PLACES_ELSEWHERE = 3;

/** Options that the runner of the cases acts out. */
const ACTED: readonly string[] = [
  "transport",
  "reasoningTags",
  "salvage",
  "tools",
];

interface Input {
  id: string;
  area: string;
  options: Record<string, unknown>;
  /** One character or event each. */
  inputs: readonly unknown[];
}

/** The events in a provider's wire. */
function eventsOf(text: string): unknown[] {
  if (text.startsWith("{") || text.startsWith("[")) {
    return text.split("\n").filter((line) => line.trim() !== "").map((
      data,
    ) => ({ data }));
  }
  return parse([text], new SSEParserStream({ flushAtEnd: true })).map((
    { data, event },
  ) => event === "message" ? { data } : { data, event });
}

function inputsOf({ id, area, options, input }: CaseLine): Input[] {
  if (["truncate", "vscode-lm"].includes(area)) return [];
  if ("recoverInFences" in options) return [];
  let text: string;
  try {
    text = textOfInput(input).text;
  } catch {
    // Bytes: their cuts are tested with the decoders.
    return [];
  }
  if (area === "provider") {
    const given = Object.fromEntries(
      Object.entries(options).filter(([key]) => !ACTED.includes(key)),
    );
    return [{ id, area, options: given, inputs: eventsOf(text) }];
  }
  const inputs = text.split("");
  const all = [{ id, area, options, inputs }];
  if (["salvage", "directive", "snippet"].includes(area)) {
    all.push({
      id: `${id}, pipeline`,
      area: "pipeline",
      options: area === "salvage" ? options : {},
      inputs,
    });
  }
  return all;
}

const cases = caseFiles([home])
  .flatMap((file) => readCases(file)).flatMap(inputsOf);

interface Stop extends Resumption {
  id: string;
  at: number;
  /** What came out before. */
  before: unknown[];
}

/** A case stopped before each of its inputs (or those that are wanted), and at its end. */
function* stops(
  { id, area, options, inputs }: Input,
  wanted?: ReadonlySet<number>,
): Generator<Stop> {
  const stage = makeStage(area, options);
  const before: unknown[] = [];
  const emit = (one: unknown): void => {
    before.push(one);
  };
  const most = area === "pipeline" ? MOST_PLACES_TOGETHER : MOST_PLACES;
  const step = Math.max(1, Math.ceil(inputs.length / most));
  for (let at = 0; at <= inputs.length; at++) {
    if (wanted?.has(at) ?? (at % step === 0 || at === inputs.length)) {
      const rest = inputs.slice(at);
      yield {
        id,
        at,
        area,
        options,
        before: [...before],
        snapshot: JSON.parse(JSON.stringify(stage.snapshot())),
        rest: area === "provider" ? rest : rest.join(""),
      };
    }
    if (at === inputs.length) return;
    try {
      stage.push(inputs[at], emit);
    } catch {
      // A parser that was told to fail.
      return;
    }
  }
}

/** What a case gives without a stop. */
function wholeOf({ area, options, inputs }: Input): string {
  const output: unknown[] = [];
  finished(
    makeStage(area, options),
    inputs,
    (one) => output.push(one),
  );
  return JSON.stringify(joined(output));
}

/** Every runtime gives what this one gives. */
async function expectSameElsewhere(
  chosen: readonly (Resumption & { id: string; at: number })[],
): Promise<void> {
  // The others are started from Node.
  if ("Deno" in globalThis || "Bun" in globalThis) return;
  const { askWorkerd, runScript } = await import("../faults/runtimes.ts");
  const expected = chosen.map(resumed);
  const input = JSON.stringify(
    chosen.map(({ area, options, snapshot, rest }) => ({
      area,
      options,
      snapshot,
      rest,
    })),
  );
  for (const runtime of ["Node", "Deno", "Bun", "workerd"]) {
    const [answer] = runtime === "workerd"
      ? await askWorkerd("test/snapshots/worker.ts", [input])
      : [await runScript(runtime, "test/snapshots/process.ts", input)];
    const lines = JSON.parse(answer!) as string[];
    expect(lines.length).toBe(expected.length);
    for (const [index, line] of lines.entries()) {
      if (line === expected[index]) continue;
      const { id, at } = chosen[index]!;
      expect(line, `${runtime}: ${id}, from ${at}`).toBe(expected[index]);
    }
  }
}

test("every handed case gives the same parts on every runtime", async () => {
  await expectSameElsewhere(cases.map(({ id, area, options, inputs }) => ({
    id,
    at: 0,
    area,
    options,
    rest: area === "provider" ? inputs : inputs.join(""),
  })));
}, 300_000);

describe("snapshots of the handed cases", () => {
  for (const area of new Set(cases.map((one) => one.area))) {
    test(
      `${area}: at every ${area === "provider" ? "event" : "character"}`,
      () => {
        let places = 0;
        for (const one of cases) {
          if (one.area !== area) continue;
          const whole = wholeOf(one);
          for (const stop of stops(one)) {
            places++;
            const after = JSON.parse(resumed(stop)) as unknown[];
            const got = JSON.stringify(joined([...stop.before, ...after]));
            if (got !== whole) {
              expect(got, `${one.id}, stopped at ${stop.at}`).toBe(whole);
            }
          }
        }
        expect(places).toBeGreaterThan(50);
      },
      300_000,
    );
  }

  test("go on in a fresh process of every runtime", async () => {
    const chosen: Stop[] = [];
    for (const one of cases) {
      const inputs = one.inputs.slice(0, 3_000);
      const wanted = new Set<number>();
      for (let place = 1; place <= PLACES_ELSEWHERE; place++) {
        wanted.add(Math.floor(place * inputs.length / (PLACES_ELSEWHERE + 1)));
      }
      chosen.push(...stops({ ...one, inputs }, wanted));
    }
    await expectSameElsewhere(chosen);
  }, 300_000);

  test("of another version are refused by every stage", () => {
    const seen = new Set<string>();
    for (const one of cases) {
      const key = `${one.area} ${one.options["provider"] ?? ""}`;
      if (seen.has(key)) continue;
      seen.add(key);
      const snapshot = JSON.stringify(
        makeStage(one.area, one.options).snapshot(),
      );
      for (const version of ["0", "2", '"1"', "null"]) {
        const other = JSON.parse(
          snapshot.replaceAll('"millrace":1', `"millrace":${version}`),
        );
        expect(
          () => makeStage(one.area, one.options, other),
          `${key}, ${version}`,
        ).toThrow("has version");
      }
    }
    expect(seen.size).toBeGreaterThan(8);
  });
});
