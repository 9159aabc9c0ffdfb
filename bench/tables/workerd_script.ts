import { readParts } from "../../mod.ts";
import { chunked, makeCorpus } from "../corpus.ts";
import { five, fused, piped, pushed } from "../subjects.ts";

/** What the worker runs, by name; names are those of the table of streams. */
const SUBJECTS: Readonly<Record<string, (chunks: string[]) => unknown>> = {
  "one identity TransformStream": (chunks) =>
    piped(chunks, new TransformStream()),
  "five identity TransformStreams": (chunks) =>
    piped(chunks, ...Array.from({ length: 5 }, () => new TransformStream())),
  "five stages, fused": (chunks) => piped(chunks, fused()),
  "five stages, chained": (chunks) => piped(chunks, ...five()),
  "five stages, readParts": async (chunks) => {
    for await (const _ of readParts(chunks, fused()));
  },
  "five stages, push": (chunks) => pushed(chunks, fused()),
};

const corpora: Map<string, string[]> = new Map();

/** Does one round of a subject, as often as asked. The clock stands still in here: the caller takes the time. */
export default {
  async fetch(request: Request): Promise<Response> {
    const { searchParams } = new URL(request.url);
    const name = searchParams.get("name");
    if (name === null) return Response.json(Object.keys(SUBJECTS));
    const length = Number(searchParams.get("length"));
    const size = Number(searchParams.get("size"));
    const key = `${length}/${size}`;
    let chunks = corpora.get(key);
    if (chunks === undefined) {
      corpora.set(key, chunks = chunked(makeCorpus(length), size));
    }
    const times = Number(searchParams.get("times") ?? 1);
    for (let time = 0; time < times; time++) await SUBJECTS[name]!(chunks);
    return Response.json({ chunks: chunks.length });
  },
};
