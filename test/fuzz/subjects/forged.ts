/** Snapshots that somebody made up who knows how they are sealed. */
import { makeSnapshot } from "../../../transforms/internal/snapshot.ts";
import type { RandomSource } from "../random_source.ts";
import { shorterLists, smallerValues } from "../shrink.ts";
import { expectThat, type Subject } from "../subject.ts";
import { mutated } from "../texts.ts";
import { damaged } from "./providers.ts";
import { randomInputs, RESUMABLE } from "./resumable.ts";

/** Stands for nesting that is too deep for most readers. */
const DEEP = "@deep";

/** Values that break machines. */
const VALUES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  1,
  -1,
  0.5,
  1e9,
  2 ** 31,
  2 ** 53,
  1e308,
  "",
  "a",
  "`",
  "<",
  "\ud800",
  "__proto__",
  "constructor",
  "text",
  "no such state",
  [],
  {},
  [null],
  [[]],
  { length: 4_294_967_295 },
  JSON.parse('{"__proto__":{"type":"text"}}'),
  JSON.parse('{"constructor":{"prototype":{"type":"text"}}}'),
  DEEP,
];

/** A snapshot that was forged, and what goes into the stage that takes it. */
interface Forged {
  stage: string;
  snapshot: unknown;
  inputs: unknown[];
}

function isSealed(value: object): value is { stage: string; state: unknown } {
  return "millrace" in value && "stage" in value && "state" in value;
}

/** Seals a snapshot again, and those in it. */
function sealed(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sealed);
  const inner = Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, sealed(one)]),
  );
  return isSealed(inner) ? makeSnapshot(inner.stage, inner.state) : inner;
}

/** Changes a value somewhere, mostly at a leaf. */
function forged(random: RandomSource, value: unknown): unknown {
  if (typeof value === "object" && value !== null && !random.chance(0.08)) {
    // What tells a snapshot from another is refused: that is tested elsewhere.
    if (!Array.isArray(value) && isSealed(value)) {
      return { ...value, state: forged(random, value.state) };
    }
    const keys = Object.keys(value);
    if (keys.length > 0 && random.chance(0.85)) {
      const key = random.pick(keys);
      const one = forged(random, (value as Record<string, unknown>)[key]);
      return Array.isArray(value)
        ? value.with(Number(key), one)
        : { ...value, [key]: one };
    }
    if (Array.isArray(value) && value.length > 0 && random.chance(0.5)) {
      return random.pick([
        [...value, ...value],
        value.toReversed(),
        value.slice(1),
        Array.from({ length: 300 }, () => value[0]),
      ]);
    }
    return damaged(random, value, []);
  }
  if (random.chance(0.5)) return random.pick(VALUES);
  switch (typeof value) {
    case "number":
      return random.pick([value + 1, value - 1, -value, value * 1000, 7]);
    case "string":
      return random.pick([
        mutated(random, value),
        value.slice(1),
        value + value,
        "ab`<".repeat(2_000),
      ]);
    case "boolean":
      return !value;
  }
  return random.pick(VALUES);
}

/** With {@linkcode DEEP} replaced by what it stands for. */
function asGiven(snapshot: unknown): unknown {
  const text = JSON.stringify(sealed(snapshot));
  return JSON.parse(
    text.replaceAll(`"${DEEP}"`, "[".repeat(20_000) + "]".repeat(20_000)),
  );
}

/** The errors that a stage may throw on input: what its options ask for. */
function isContract(error: unknown): boolean {
  return (error as Error).name === "StreamError";
}

/**
 * Whoever forges a snapshot is told so, by a `TypeError` when it is taken or
 * when it turns out later, or gets a stage that goes on somehow: it ends, and
 * changes nothing around it.
 */
function forgedSubject(): Subject<Forged> {
  return {
    name: "snapshot/forged",
    make(random) {
      const stage = random.pick(Object.keys(RESUMABLE));
      const inputs = randomInputs(random, stage);
      const one = RESUMABLE[stage]!();
      const at = random.below(inputs.length + 1);
      try {
        for (const input of inputs.slice(0, at)) one.push(input, () => {});
      } catch {
        // What it says of its input is tested elsewhere.
      }
      let snapshot: unknown = JSON.parse(JSON.stringify(one.snapshot()));
      for (let times = random.between(1, 3); times > 0; times--) {
        // Nothing at all would be a new stage.
        snapshot = forged(random, snapshot) ?? null;
      }
      // As plain data.
      return JSON.parse(
        JSON.stringify({ stage, snapshot, inputs: inputs.slice(at) }),
      );
    },
    check({ stage, snapshot, inputs }) {
      const make = RESUMABLE[stage]!;
      let one: ReturnType<typeof make>;
      try {
        one = make(asGiven(snapshot));
      } catch (error) {
        expectThat(
          error instanceof TypeError &&
            error.message.startsWith("Cannot resume"),
          `A forged snapshot is refused in other words: ${
            (error as Error).stack
          }`,
        );
        return;
      }
      let given = 0;
      let taken = 0;
      const emit = (output: unknown): void => {
        given++;
        expectThat(output !== undefined, "Nothing is given out");
      };
      try {
        for (const input of inputs) {
          taken += JSON.stringify(input).length;
          one.push(input, emit);
        }
        one.snapshot();
        one.end(emit);
      } catch (error) {
        if (isContract(error)) return;
        expectThat(
          error instanceof TypeError &&
            error.message.startsWith("Cannot resume"),
          `A forged snapshot fails in other words: ${(error as Error).stack}`,
        );
      } finally {
        for (const key of ["type", "text", "state"]) {
          expectThat(
            ({} as Record<string, unknown>)[key] === undefined,
            "Object.prototype was changed",
          );
        }
      }
      const size = taken + JSON.stringify(snapshot).length;
      expectThat(
        given <= 2_000 + 20 * size,
        `${given} outputs for ${size} characters`,
      );
    },
    *shrink(input) {
      for (const inputs of shorterLists(input.inputs)) {
        yield { ...input, inputs };
      }
      for (const snapshot of smallerValues(input.snapshot)) {
        yield { ...input, snapshot };
      }
    },
    size: (input) => JSON.stringify(input).length,
  };
}

/** All of them. */
export function forgedSubjects(): Subject[] {
  return [forgedSubject()] as unknown as Subject[];
}
