import { readParts } from "../../mod.ts";
import { chunked, makeCorpus, messagesOf } from "../corpus.ts";
import { measure, type Subjects } from "../measure.ts";
import { five, fused, piped, pushed, stages } from "../subjects.ts";
import type { Figure, Run, Table } from "../table.ts";

const ONE = "one identity TransformStream";
const FIVE = "five identity TransformStreams";
const FUSED = "five stages, fused";
const CHAINED = "five stages, chained";
const READ = "five stages, readParts";
const PUSH = "five stages, push";

/** Gates and targets at 20 characters a chunk, as ratios to one identity stream. */
const BOUNDS: Readonly<Record<string, Pick<Figure, "gate" | "target">>> = {
  [FUSED]: { gate: 1.6, target: 1.25 },
  [PUSH]: { gate: 0.35, target: 0.15 },
};

/** What streams, fused stages and stages alone cost, by length of the chunks. */
export async function streams({ quick, runtime }: Run): Promise<Table[]> {
  const text = makeCorpus(quick ? 120_000 : 600_000);
  const tables: Table[] = [];
  for (const size of quick ? [20, 65_536] : [4, 20, 1_024, 65_536]) {
    const chunks = chunked(text, size);
    const times = await measure(subjects(chunks), {
      units: chunks.length,
      // Long chunks are over soon.
      rounds: (quick ? 9 : 31) * (size > 1_000 ? 3 : 1),
    });
    const figures = times.names.map((name): Figure => {
      const { median, lower, upper } = times.ratio(name, ONE);
      const time = times.of(name).median;
      return {
        name,
        value: median,
        note: `${lower.toFixed(2)}–${upper.toFixed(2)}  ${
          (time / 1_000).toFixed(2)
        } µs a chunk, ${(size * 1_000 / time).toFixed(0)} MB/s`,
        ...(size === 20 ? BOUNDS[name] : {}),
      };
    });
    const over = (
      name: string,
      base: string,
      bounds: Pick<Figure, "gate" | "target">,
    ): void => {
      const { median, lower, upper } = times.ratio(name, base);
      figures.push({
        name: `${name} ÷ ${base}`,
        value: median,
        note: `${lower.toFixed(2)}–${upper.toFixed(2)}`,
        ...bounds,
      });
    };
    if (size === 20) {
      over(FUSED, CHAINED, { gate: 0.45, target: 0.33 });
      over(CHAINED, FIVE, { gate: 1.6, target: 1.2 });
    } else if (size === 65_536) over(FUSED, PUSH, { gate: 1.5, target: 1.15 });
    tables.push({
      id: `streams-${size}`,
      title: `Chunks of ${size} characters`,
      unit: `time ÷ that of ${ONE}`,
      about:
        `${runtime}, ${chunks.length} chunks; medians, quartiles: npm run bench -- --only streams`,
      figures,
    });
  }
  tables.push(await perMessage(text, { quick, runtime }));
  return tables;
}

function subjects(chunks: string[]): Subjects {
  return {
    [ONE]: () => piped(chunks, new TransformStream()),
    [FIVE]: () =>
      piped(chunks, ...Array.from({ length: 5 }, () => new TransformStream())),
    [FUSED]: () => piped(chunks, fused()),
    [CHAINED]: () => piped(chunks, ...five()),
    [READ]: async () => {
      for await (const _ of readParts(chunks, fused()));
    },
    [PUSH]: () => pushed(chunks, fused()),
    ...Object.fromEntries(
      Object.entries(stages).map(([name, make]) => [
        `${name}, push`,
        () => pushed(chunks, make()),
      ]),
    ),
  };
}

/** The same with a stream a message: what making the streams costs. */
async function perMessage(
  text: string,
  { quick, runtime }: Run,
): Promise<Table> {
  const messages = messagesOf(text).map((message) => chunked(message, 20));
  const units = messages.reduce((sum, chunks) => sum + chunks.length, 0);
  const times = await measure({
    [ONE]: async () => {
      for (const chunks of messages) await piped(chunks, new TransformStream());
    },
    [FUSED]: async () => {
      for (const chunks of messages) await piped(chunks, fused());
    },
    [READ]: async () => {
      for (const chunks of messages) {
        for await (const _ of readParts(chunks, fused()));
      }
    },
    [PUSH]: () => {
      for (const chunks of messages) pushed(chunks, fused());
    },
    "five stages, made only": () => {
      for (const _ of messages) fused();
    },
  }, { units, rounds: quick ? 9 : 31 });
  return {
    id: "messages",
    title: "A stream a message, chunks of 20 characters",
    unit: `time ÷ that of ${ONE}`,
    about:
      `${runtime}, ${messages.length} messages of 3,046 characters; medians, quartiles: npm run bench -- --only streams`,
    figures: times.names.map((name) => {
      const { median, lower, upper } = times.ratio(name, ONE);
      return {
        name,
        value: median,
        note: `${lower.toFixed(2)}–${upper.toFixed(2)}  ${
          (times.of(name).median / 1_000).toFixed(2)
        } µs a chunk`,
      };
    }),
  };
}
