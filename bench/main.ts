/**
 * What a pipeline costs, against one identity TransformStream in the same run.
 *
 *     npm run bench [-- --quick] [-- --check]
 *
 * Machines are noisy: only ratios within one run count, medians of rounds in
 * which everything runs in turn. `--check` fails on a breach of a gate.
 */
import process from "node:process";
import {
  DirectiveExtractorStream,
  FenceTrackerStream,
  type Part,
  pipeline,
  readParts,
  SnippetExtractorStream,
  type StageStream,
  standardPipeline,
  SurrogateSanitizerStream,
  ToolCallSalvagerStream,
  toReadableStream,
} from "../mod.ts";
import { chunked, makeCorpus } from "./corpus.ts";

const quick = process.argv.includes("--quick");
const rounds = quick ? 5 : 9;
const size = quick ? 400_000 : 1_000_000;

const tools = [{
  name: "read_file",
  inputSchema: {
    type: "object",
    properties: { path: { type: "string" } },
  },
}];

/** The five stages, in the standard order. */
function five(): StageStream<string | Part, Part>[] {
  return [
    new SurrogateSanitizerStream() as unknown as StageStream<
      string | Part,
      Part
    >,
    new ToolCallSalvagerStream({ tools }),
    new FenceTrackerStream(),
    new DirectiveExtractorStream({ directives: ["note"], trackFences: false }),
    new SnippetExtractorStream({ trackFences: false }),
  ];
}

function fused(): StageStream<string | Part, Part> {
  return standardPipeline({ tools, directives: ["note"] });
}

async function drain(readable: ReadableStream<unknown>): Promise<void> {
  const reader = readable.getReader();
  while (!(await reader.read()).done);
}

function push(stream: StageStream<string | Part, Part>, chunks: string[]) {
  const ignore = (): void => {};
  for (const chunk of chunks) stream.stage.push(chunk, ignore);
  stream.stage.end(ignore);
}

/** Everything that is timed; the first one is what the others are divided by. */
const subjects: Record<string, (chunks: string[]) => Promise<void> | void> = {
  "one identity TransformStream": (chunks) =>
    drain(toReadableStream(chunks).pipeThrough(new TransformStream())),
  "five identity TransformStreams": (chunks) => {
    let stream: ReadableStream<unknown> = toReadableStream(chunks);
    for (let count = 0; count < 5; count++) {
      stream = stream.pipeThrough(new TransformStream());
    }
    return drain(stream);
  },
  "five stages, fused": (chunks) =>
    drain(toReadableStream(chunks).pipeThrough(fused())),
  "five stages, chained": (chunks) => {
    const [first, ...rest] = five();
    return drain(
      rest.reduce(
        (stream, stage) => stream.pipeThrough(stage),
        toReadableStream(chunks).pipeThrough(first!),
      ),
    );
  },
  "five stages, readParts": async (chunks) => {
    for await (const _ of readParts(chunks, fused()));
  },
  "five stages, push": (chunks) => push(fused(), chunks),
  "sanitizer, push": (chunks) =>
    push(
      pipeline(new SurrogateSanitizerStream()) as unknown as StageStream<
        string | Part,
        Part
      >,
      chunks,
    ),
  "salvager, push": (chunks) =>
    push(new ToolCallSalvagerStream({ tools }), chunks),
  "fence tracker, push": (chunks) => push(new FenceTrackerStream(), chunks),
  "directive extractor, push": (chunks) =>
    push(new DirectiveExtractorStream({ directives: ["note"] }), chunks),
  "snippet extractor, push": (chunks) =>
    push(new SnippetExtractorStream(), chunks),
};

interface Row {
  name: string;
  /** Microseconds a chunk, median. */
  time: number;
  /** Time over that of the first subject in the same round, median. */
  ratio: number;
  /** Smallest and largest ratio. */
  spread: [number, number];
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

async function measure(chunks: string[]): Promise<Row[]> {
  const times = new Map<string, number[]>();
  for (let round = -1; round < rounds; round++) {
    for (const [name, subject] of Object.entries(subjects)) {
      const before = performance.now();
      await subject(chunks);
      const time = (performance.now() - before) * 1000 / chunks.length;
      // The first round warms up.
      if (round >= 0) times.set(name, [...times.get(name) ?? [], time]);
    }
  }
  const base = times.values().next().value!;
  return [...times].map(([name, all]) => {
    const ratios = all.map((time, round) => time / base[round]!);
    return {
      name,
      time: median(all),
      ratio: median(ratios),
      spread: [Math.min(...ratios), Math.max(...ratios)],
    };
  });
}

/** Largest ratio to one identity TransformStream at 20 characters a chunk. */
const gates: Record<string, number> = {
  "five stages, fused": 1.6,
  "five stages, push": 0.35,
};

const text = makeCorpus(size);
let breached = false;
for (const chunkSize of quick ? [20, 65_536] : [4, 20, 1_024, 65_536]) {
  const chunks = chunked(text, chunkSize);
  console.log(
    `\n${chunkSize}-character chunks (${chunks.length}), ${rounds} rounds`,
  );
  console.log(
    `${"".padEnd(32)}${"µs/chunk".padStart(10)}${"MB/s".padStart(8)}${
      "ratio".padStart(8)
    }   spread`,
  );
  for (const row of await measure(chunks)) {
    const speed = chunkSize / row.time;
    console.log(
      `${row.name.padEnd(32)}${row.time.toFixed(2).padStart(10)}${
        speed.toFixed(0).padStart(8)
      }${row.ratio.toFixed(2).padStart(8)}   ${
        row.spread.map((one) => one.toFixed(2)).join("–")
      }`,
    );
    const gate = chunkSize === 20 ? gates[row.name] : undefined;
    if (gate !== undefined && row.ratio > gate) {
      console.log(`  breach: at most ${gate} is allowed`);
      breached = true;
    }
  }
}
if (process.argv.includes("--check") && breached) process.exitCode = 1;
