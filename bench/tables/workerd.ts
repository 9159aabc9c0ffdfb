import { fileURLToPath } from "node:url";
import { measure } from "../measure.ts";
import type { Figure, Run, Table } from "../table.ts";

const ONE = "one identity TransformStream";

/** Subjects that are over soon: done several times in a request, so that the request itself does not count. */
const TIMES: Readonly<Record<string, number>> = {
  "five stages, push": 20,
  "five stages, readParts": 5,
};

const BOUNDS: Readonly<Record<string, Pick<Figure, "gate" | "target">>> = {
  "five stages, fused": { gate: 1.6, target: 1.25 },
};

/** The table of streams in workerd, by miniflare. Time is taken on the clock, outside. */
export async function workerd({ quick, runtime }: Run): Promise<Table[]> {
  const size = 20;
  const length = quick ? 20_000 : 100_000;
  const table: Table = {
    id: "workerd",
    title: `workerd, chunks of ${size} characters`,
    unit: `time ÷ that of ${ONE}`,
    about: "workerd by miniflare: npm run bench -- --only workerd",
    figures: [],
    skipped: [],
  };
  if (runtime !== "node") {
    return [{ ...table, skipped: ["started from Node only"] }];
  }
  const { Miniflare } = await import("miniflare");
  const worker = new Miniflare({
    modules: true,
    script: await script(),
    compatibilityDate: "2026-07-01",
  });
  try {
    const ask = async (name: string): Promise<unknown> => {
      const query = new URLSearchParams({
        name,
        length: String(length),
        size: String(size),
        times: String(TIMES[name] ?? 1),
      });
      const answer = await worker.dispatchFetch(`http://localhost/?${query}`);
      return await answer.json();
    };
    const listed = await worker.dispatchFetch("http://localhost/");
    const names = await listed.json() as string[];
    const times = await measure(
      Object.fromEntries(names.map((name) => [name, () => ask(name)])),
      {
        units: (name) => (length / size) * (TIMES[name] ?? 1),
        rounds: quick ? 5 : 21,
        warmUp: quick ? 3 : 5,
        clock: true,
      },
    );
    table.figures = times.names.map((name): Figure => {
      const { median, lower, upper } = times.ratio(name, ONE);
      return {
        name,
        value: median,
        note: `${lower.toFixed(2)}–${upper.toFixed(2)}  ${
          (times.of(name).median / 1_000).toFixed(2)
        } µs a chunk`,
        ...BOUNDS[name],
      };
    });
    return [table];
  } finally {
    await worker.dispose();
  }
}

/** The worker, bundled. */
async function script(): Promise<string> {
  const { rolldown } = await import("rolldown");
  const build = await rolldown({
    input: fileURLToPath(new URL("workerd_script.ts", import.meta.url)),
    platform: "neutral",
    logLevel: "warn",
  });
  const { output } = await build.generate({ format: "esm" });
  await build.close();
  return output[0].code;
}
