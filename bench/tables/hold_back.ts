import type { Part } from "../../mod.ts";
import { chunked, makeCorpus } from "../corpus.ts";
import { fused, type PartStream, stages } from "../subjects.ts";
import type { Figure, Run, Table } from "../table.ts";

/** How the calls of the corpus begin. */
const CALL = "<function_calls>\n<invoke";

/** How many characters of a chunk have not come out when the next one comes. */
export function holdBack({ quick, runtime }: Run): Table[] {
  const text = makeCorpus(quick ? 400_000 : 2_000_000);
  return (quick ? [20] : [1, 4, 20]).map((size) => {
    const chunks = chunked(text, size);
    const figures: Figure[] = [];
    const subjects = { "five stages": fused, ...stages };
    for (const [name, make] of Object.entries(subjects)) {
      const { mean, most, none, inCalls } = held(text, chunks, make());
      figures.push({
        name,
        value: mean,
        note: `most ${most}, nothing held behind ${
          (none * 100).toFixed(1)
        } % of the chunks; with those in calls ${inCalls.toFixed(2)}`,
        ...(size === 20 && name === "five stages"
          ? { gate: 0.5, target: 0.15 }
          : {}),
      });
    }
    return {
      id: `hold-back-${size}`,
      title: `Held back, chunks of ${size} characters`,
      unit: "characters, mean",
      about:
        `${runtime}, ${chunks.length} chunks: npm run bench -- --only hold`,
      figures,
    };
  });
}

/**
 * After every chunk: the input that no part accounts for yet. A call has to be
 * held until it is complete, so chunks that end inside one are counted apart.
 */
function held(
  text: string,
  chunks: readonly string[],
  { stage }: PartStream,
): { mean: number; most: number; none: number; inCalls: number } {
  let out = 0;
  const emit = (part: Part | string): void => {
    if (typeof part === "string") out += part.length;
    else if (part.type === "text") out = part.start + part.text.length;
    else if (part.type === "directive-start") {
      out = text.indexOf(">", part.start) + 1;
    } else if (part.type === "directive-delta") out += part.text.length;
    else if (part.type === "directive") out = part.end;
    else if (part.type === "tool-call" && part.origin === "salvaged") {
      out = part.end;
    }
  };
  let read = 0;
  let sum = 0;
  let sumInCalls = 0;
  let count = 0;
  let most = 0;
  let none = 0;
  for (const chunk of chunks) {
    stage.push(chunk, emit);
    read += chunk.length;
    const left = read - out;
    sumInCalls += left;
    if (text.startsWith(CALL, out)) continue;
    count++;
    sum += left;
    most = Math.max(most, left);
    if (left === 0) none++;
  }
  return {
    mean: sum / count,
    most,
    none: none / count,
    inCalls: sumInCalls / chunks.length,
  };
}
