import { chunked, makeCorpus, messagesOf } from "../corpus.ts";
import { measure } from "../measure.ts";
import { type Peer, peers } from "../peers.ts";
import { fused, piped, pushed, stages } from "../subjects.ts";
import type { Figure, Run, Table } from "../table.ts";

const US = "millrace: five stages, push";

/** Gates with 64 KiB chunks: how much slower than we others have to be. */
const BOUNDS: Readonly<
  Record<string, Pick<Figure, "gate" | "target" | "atLeast">>
> = {
  "htmlparser2, write": { gate: 0.5, target: 1, atLeast: true },
};

/** Others with the same messages, each of them begun anew. */
export async function peersTable({ quick, runtime }: Run): Promise<Table[]> {
  const loaded: Record<string, Peer> = {};
  const skipped: string[] = [];
  for (const { name, load } of peers) {
    try {
      loaded[name] = await load();
    } catch {
      skipped.push(`${name}: not installed (npm install in bench/)`);
    }
  }
  const tables: Table[] = [];
  for (const size of [20, 65_536]) {
    const isLong = size > 20;
    const text = makeCorpus(
      quick ? isLong ? 131_072 : 30_000 : isLong ? 1_000_000 : 200_000,
    );
    // One long message, so that there are long chunks at all.
    const messages = isLong
      ? [chunked(text, size)]
      : messagesOf(text).map((message) => chunked(message, size));
    const subjects: Record<string, () => unknown> = {};
    const add = (name: string, run: Peer): void => {
      subjects[name] = async () => {
        for (const chunks of messages) await run(chunks);
      };
    };
    add(US, (chunks) => pushed(chunks, fused()));
    add(
      "millrace: five stages, fused stream",
      (chunks) => piped(chunks, fused()),
    );
    for (const name of ["fence tracker", "directive extractor", "salvager"]) {
      add(
        `millrace: ${name}, push`,
        (chunks) => pushed(chunks, stages[name]!()),
      );
    }
    add(
      "one identity TransformStream",
      (chunks) => piped(chunks, new TransformStream()),
    );
    for (const [name, peer] of Object.entries(loaded)) add(name, peer);
    const times = await measure(subjects, {
      units: text.length,
      rounds: quick ? 9 : isLong ? 15 : 31,
      // What the engine's compiler takes counts as well: it is to be done by then.
      warmUp: quick ? 8 : 12,
    });
    tables.push({
      id: `peers-${size}`,
      title: isLong
        ? `Others, one message in chunks of ${size} characters`
        : "Others, messages of 3,046 characters in chunks of 20",
      unit: "time ÷ that of our five stages by push",
      about:
        `${runtime}; medians, quartiles: npm install in bench/, npm run bench -- --only peers`,
      figures: times.names.map((name) => {
        const { median, lower, upper } = times.ratio(name, US);
        return {
          name,
          value: median,
          note: `${lower.toFixed(2)}–${upper.toFixed(2)}  ${
            (1_000 / times.of(name).median).toFixed(1)
          } MB/s`,
          ...(isLong ? BOUNDS[name] : {}),
        };
      }),
      skipped,
    });
  }
  return tables;
}
