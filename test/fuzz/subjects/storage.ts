/** What lies somewhere until it is read again: snapshots, databases, long messages. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  cursorSession,
  openSqliteFile,
  SessionStream,
} from "../../../adapters/sessions/mod.ts";
import { providers } from "../../../adapters/providers/mod.ts";
import { StreamError } from "../../../adapters/stream_error.ts";
import {
  FenceSplitterStream,
  parse,
  sanitizeSurrogates,
  type Stage,
  truncateMiddle,
} from "../../../mod.ts";
import type { RandomSource } from "../random_source.ts";
import { smallerValues } from "../shrink.ts";
import { expectSame, expectThat, type Subject } from "../subject.ts";
import { mutated, randomText } from "../texts.ts";
import { type Resumable, STAGES } from "./resumable.ts";
import {
  randomTextCase,
  smallerTextCases,
  type TextCase,
  textCaseSize,
} from "./text_stage.ts";

/** What can be resumed. */
const RESUMABLE: Readonly<Record<string, Resumable>> = {
  ...STAGES,
  splitter: (snapshot) =>
    new FenceSplitterStream({ maxLength: 64, snapshot }).stage as Stage<
      unknown,
      unknown
    >,
  session: (snapshot) =>
    new SessionStream({ kind: "claude-session", snapshot }).stage as Stage<
      unknown,
      unknown
    >,
};

interface Tampered {
  stage: string;
  text: string;
  /** The snapshot's JSON, changed. */
  snapshot: string;
}

function snapshotOf(stage: Stage<unknown, unknown>, input: unknown): string {
  stage.push(input, () => {});
  return JSON.stringify(stage.snapshot());
}

/** As JSON with sorted keys. */
function canonical(value: unknown): string {
  return JSON.stringify(
    value,
    (_key, one) =>
      typeof one === "object" && one !== null && !Array.isArray(one)
        ? Object.fromEntries(Object.entries(one).sort())
        : one,
  );
}

/** Snapshots that were changed are refused in words, or as good as they were. */
function tamperedSubject(): Subject<Tampered> {
  const decoders = Object.fromEntries(
    providers.map((provider): [string, Resumable] => [
      provider.name,
      (snapshot) => provider.create({}, snapshot) as Stage<unknown, unknown>,
    ]),
  );
  const all = { ...RESUMABLE, ...decoders };
  return {
    name: "snapshot/tampered",
    make(random) {
      const stage = random.pick(Object.keys(all));
      const text = randomText(random, "all").slice(0, 200);
      const input = stage in decoders ? { data: text } : text;
      const snapshot = snapshotOf(all[stage]!(), input);
      return {
        stage,
        text,
        snapshot: random.chance(0.1) ? snapshot : mutated(random, snapshot, [
          '"',
          "{",
          "}",
          "null",
          "-1",
          "1e9",
          ",",
        ]),
      };
    },
    check({ stage, text, snapshot }) {
      const make = all[stage]!;
      let value: unknown;
      try {
        value = JSON.parse(snapshot);
      } catch {
        // No JSON comes to no stage.
        return;
      }
      let resumed: Stage<unknown, unknown>;
      try {
        resumed = make(value);
      } catch (error) {
        expectThat(error instanceof TypeError, `A snapshot throws ${error}`);
        expectThat(
          (error as Error).message.startsWith("Cannot resume"),
          `A snapshot is refused in other words: ${error}`,
        );
        return;
      }
      const input = stage in decoders ? { data: text } : text;
      // Nothing is in it that was not: what was changed does not count.
      const original = JSON.parse(snapshotOf(make(), input));
      expectSame(
        "A changed snapshot is taken",
        canonical(resumed.snapshot()),
        canonical(original),
      );
      expectThat(
        ({} as Record<string, unknown>)["type"] === undefined,
        "Object.prototype was changed",
      );
    },
    *shrink(input) {
      for (const smaller of smallerValues(input)) {
        const one = smaller as Partial<Tampered>;
        if (
          typeof one.stage === "string" && one.stage in all &&
          typeof one.text === "string" && typeof one.snapshot === "string"
        ) yield one as Tampered;
      }
    },
    size: ({ text, snapshot }) => text.length + snapshot.length,
  };
}

interface Damage {
  file: string;
  /** Bytes that are changed: where, to what. */
  changes: [at: number, byte: number][];
  /** Length that is left. */
  length: number;
}

const home = fileURLToPath(new URL("../../sessions", import.meta.url));

const DATABASES: Readonly<Record<string, Uint8Array>> = Object.fromEntries(
  ["cursor", "sqlite"].flatMap((folder) =>
    readdirSync(`${home}/${folder}`)
      .filter((file) => file.endsWith(".vscdb"))
      .map((file) => [file, readFileSync(`${home}/${folder}/${file}`)])
  ).filter(([, bytes]) => bytes!.length < 60_000),
);

/** Damaged databases: messages and then one error, never anything else. */
function databaseSubject(): Subject<Damage> {
  return {
    name: "session/sqlite",
    make(random: RandomSource) {
      const file = random.pick(Object.keys(DATABASES));
      const { length } = DATABASES[file]!;
      const place = (): number =>
        // Headers of files and pages are where it hurts.
        random.chance(0.5) ? random.below(length) : Math.min(
          length - 1,
          4_096 * random.below(1 + (length >> 12)) + random.below(128),
        );
      return {
        file,
        changes: random.times(
          random.between(0, 6),
          () => [place(), random.pick([0, 1, 2, 5, 13, 127, 255])],
        ),
        length: random.chance(0.3) ? random.below(length) : length,
      };
    },
    async check({ file, changes, length }) {
      const bytes = Uint8Array.from(DATABASES[file]!.subarray(0, length));
      for (const [at, byte] of changes) bytes[at] = byte;
      try {
        const reader = cursorSession(openSqliteFile(bytes)).getReader();
        while (!(await reader.read()).done);
      } catch (error) {
        expectThat(error instanceof StreamError, `A database throws ${error}`);
      }
    },
    *shrink(input) {
      for (let at = 0; at < input.changes.length; at++) {
        yield { ...input, changes: input.changes.toSpliced(at, 1) };
      }
    },
    size: ({ changes }) => changes.length,
  };
}

/** Messages of a chat: the same however the text is cut, and none too long. */
function splitterSubject(): Subject<TextCase> {
  const outputs = (
    chunks: TextCase,
    maxLength: number,
  ): unknown[] =>
    parse(
      chunks as string[],
      new FenceSplitterStream({ maxLength }),
    );
  return {
    name: "splitter/default",
    make: (random) =>
      randomTextCase(random, "all").filter((one) => typeof one === "string"),
    check(chunks) {
      for (const maxLength of [32, 50, 200]) {
        const whole = outputs([chunks.join("")], maxLength);
        expectSame(
          "Chunk invariance: as given",
          outputs(chunks, maxLength),
          whole,
        );
        expectSame(
          "Chunk invariance: one code unit at a time",
          outputs(chunks.join("").split(""), maxLength),
          whole,
        );
        for (const one of whole as { type: string; text?: string }[]) {
          expectThat(
            one.type !== "text" || one.text!.length <= maxLength,
            `Boundedness: a message has more than ${maxLength}`,
          );
        }
      }
    },
    shrink: smallerTextCases,
    size: textCaseSize,
  };
}

interface Truncation {
  text: string;
  maxChars: number;
}

/** Shortened texts: short enough, whole characters, nothing of its own but the marker. */
function truncateSubject(): Subject<Truncation> {
  return {
    name: "truncate/middle",
    make: (random) => ({
      text: sanitizeSurrogates(randomText(random, "all")),
      maxChars: random.between(0, 80),
    }),
    check({ text, maxChars }) {
      for (const keep of ["head", "tail", "both"] as const) {
        const short = truncateMiddle(text, maxChars, { keep });
        expectThat(
          short.length <= Math.max(maxChars, 0) || short === text,
          "Boundedness: it is longer than it may be",
        );
        expectThat(
          sanitizeSurrogates(short) === short,
          "A surrogate pair is cut",
        );
        expectSame(
          "Once is enough",
          truncateMiddle(short, maxChars, { keep }),
          short,
        );
      }
    },
    *shrink(input) {
      for (const one of smallerValues(input)) {
        const { text, maxChars } = one as Partial<Truncation>;
        if (typeof text === "string" && typeof maxChars === "number") {
          yield { text, maxChars };
        }
      }
    },
    size: ({ text }) => text.length,
  };
}

/** All of them. */
export function storageSubjects(): Subject[] {
  return [
    tamperedSubject(),
    databaseSubject(),
    splitterSubject(),
    truncateSubject(),
  ] as unknown as Subject[];
}
