import type { Part, StageStream } from "../../../mod.ts";
import {
  checkConservation,
  checkPlain,
  cut,
  cuttings,
  merged,
  random,
  run,
} from "../../laws.ts";
import type { CaseLine, CaseOutcome } from "./area_runner.ts";

/** The chunks of a text case's input: as given, whole text last. */
export function textOfInput(input: unknown): { given: string[]; text: string } {
  if (typeof input === "string") return { given: [input], text: input };
  if (Array.isArray(input)) {
    if (input.every((chunk) => typeof chunk === "string")) {
      return { given: input, text: input.join("") };
    }
    throw new Error("byte chunks in a text area");
  }
  if (typeof input === "object" && input !== null && "generate" in input) {
    const { prefix, fill, fillCount, suffix, chunk } = input.generate as {
      prefix: string;
      fill: string;
      fillCount: number;
      suffix: string;
      chunk: number;
    };
    const text = prefix + fill.repeat(fillCount) + suffix;
    const offsets: number[] = [];
    for (let at = chunk; at < text.length; at += chunk) offsets.push(at);
    return { given: cut(text, offsets), text };
  }
  throw new Error(`unknown form of input: ${JSON.stringify(input)}`);
}

/** Ways to cut a long text: each costs a whole run. */
function* fewCuttings(text: string): Generator<string[]> {
  for (const seed of [1, 2, 3]) {
    const next = random(seed);
    const offsets: number[] = [];
    for (let at = 0; at < text.length; at += 1 + Math.floor(next() * 4000)) {
      offsets.push(at);
    }
    yield cut(text, offsets);
  }
}

/** Both as JSON with sorted keys; absent and `null` are the same. */
export function equal(got: unknown, expected: unknown): boolean {
  return canonical(got) === canonical(expected);
}

function canonical(value: unknown): string {
  if (value === undefined || value === null) return "null";
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value === "object") {
    return `{${
      Object.entries(value)
        .filter(([, each]) => each !== undefined && each !== null)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, each]) => `${JSON.stringify(key)}:${canonical(each)}`)
        .join(",")
    }}`;
  }
  return JSON.stringify(value);
}

/** Shows two things that should be equal. */
export function difference(
  what: string,
  got: unknown,
  expected: unknown,
): string {
  return `${what}: expected ${shown(expected)} got ${shown(got)}`;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "undefined";
  return text.length > 600 ? `${text.slice(0, 600)}…` : text;
}

/**
 * Runs a case of a text area: checks the parts as given with `check`, then that
 * every cutting gives the same parts and nothing is lost.
 */
export function runTextCase(
  line: CaseLine,
  make: () => StageStream<string | Part, Part>,
  check: (parts: Part[], text: string) => string | undefined,
): CaseOutcome {
  const { given, text } = textOfInput(line.input);
  try {
    const stream = make();
    const parts: Part[] = [];
    const emit = (part: Part): void => {
      parts.push(part);
    };
    for (const [index, chunk] of given.entries()) {
      if (
        line.expect["textBeforeEnd"] === true && index === given.length - 1 &&
        !parts.some((part) => part.type === "text")
      ) {
        return {
          status: "failed",
          why: "no text came out before the last chunk",
        };
      }
      stream.stage.push(chunk, emit);
    }
    stream.stage.end(emit);
    const why = check(merged(parts), text);
    if (why !== undefined) return { status: "failed", why };
    checkConservation(text, parts);
    checkPlain(parts);
    const expected = JSON.stringify(merged(parts));
    const ways = text.length > 5000 ? fewCuttings(text) : cuttings(text);
    for (const chunks of ways) {
      const got = JSON.stringify(merged(run(make(), chunks)));
      if (got !== expected) {
        return {
          status: "failed",
          why: difference(
            `cut as ${shown(chunks)}`,
            got,
            expected,
          ),
        };
      }
    }
    return { status: "passed" };
  } catch (error) {
    return { status: "failed", why: String(error) };
  }
}

/** Compares texts as `textCompare` says. */
export function sameText(got: string, expected: string, how: unknown): boolean {
  if (how !== "ws") return got === expected;
  const tidy = (text: string) => text.replace(/\s+/g, " ").trim();
  return tidy(got) === tidy(expected);
}
