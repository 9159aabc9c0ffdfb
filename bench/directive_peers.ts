/**
 * How many directive cases others get right: the same cases, whole and one code
 * unit at a time, names and contents compared (attributes, and whether a
 * directive is complete, are left out, since not all peers tell them).
 *
 *     npx tsx bench/directive_peers.ts [FILE …]
 *
 * htmlparser2 is no dependency: `npm install --no-save htmlparser2` first, or
 * its row is left out.
 */
import { readFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { DirectiveExtractorStream, parse, type Part } from "../mod.ts";

// Not by its literal name: Deno cannot check these types.
const { extractReasoningMiddleware } = await import("ai" as string);

/** What a case's options are, as far as peers are concerned. */
interface CaseOptions {
  directives: string[];
  nesting?: "balanced" | "flat";
  startInside?: string;
  dialect?: string;
  [option: string]: unknown;
}

/** Text, or a directive with its name. */
type Entry = { text: string } | { name: string; content: string };

interface Case {
  id: string;
  options: CaseOptions;
  input: string | string[];
  expected: Entry[];
}

/** Reads chunks; `undefined`: this kind of case is beyond it. */
type Peer = (
  chunks: string[],
  options: CaseOptions,
) => Promise<Entry[] | undefined> | Entry[] | undefined;

function addText(entries: Entry[], text: string): void {
  const last = entries.at(-1);
  if (text === "") return;
  if (last !== undefined && "text" in last) last.text += text;
  else entries.push({ text });
}

const millrace: Peer = (chunks, { directives, nesting, ...rest }) => {
  const entries: Entry[] = [];
  const stream = new DirectiveExtractorStream(
    {
      ...rest,
      directives: nesting === undefined
        ? directives
        : Object.fromEntries(directives.map((name) => [name, { nesting }])),
    } as ConstructorParameters<typeof DirectiveExtractorStream>[0],
  );
  for (const part of parse(chunks, stream) as Part[]) {
    if (part.type === "text") addText(entries, part.text);
    else if (part.type === "directive") {
      entries.push({ name: part.name, content: part.content });
    }
  }
  return entries;
};

/** The AI SDK's middleware: one tag name, into reasoning. */
const aiReasoning: Peer = async (chunks, options) => {
  const [tagName, other] = options.directives;
  if (
    tagName === undefined || other !== undefined ||
    options.dialect === "container"
  ) return undefined;
  const middleware = extractReasoningMiddleware({
    tagName,
    separator: "",
    startWithReasoning: options.startInside === tagName,
  });
  const parts: unknown[] = [
    { type: "text-start", id: "1" },
    ...chunks.map((delta) => ({ type: "text-delta", id: "1", delta })),
    { type: "text-end", id: "1" },
  ];
  const { stream } = await middleware.wrapStream({
    doStream: () =>
      Promise.resolve({
        stream: new ReadableStream({
          start(controller) {
            for (const part of parts) controller.enqueue(part);
            controller.close();
          },
        }),
      }),
  });
  const entries: Entry[] = [];
  for await (const part of stream) {
    const last = entries.at(-1);
    if (part.type === "text-delta") addText(entries, part.delta);
    else if (part.type === "reasoning-start") {
      entries.push({ name: tagName, content: "" });
    } else if (
      part.type === "reasoning-delta" && last !== undefined && "name" in last
    ) last.content += part.delta;
  }
  return entries;
};

/** htmlparser2 with a filter of known names, contents as slices of the source. */
async function htmlparser(): Promise<Peer | undefined> {
  const name = "htmlparser2";
  // deno-lint-ignore no-explicit-any
  let library: any;
  try {
    library = await import(name);
  } catch {
    return undefined;
  }
  return (chunks, options) => {
    if (options.dialect === "container") return undefined;
    const source = chunks.join("");
    const names = new Set(options.directives);
    const entries: Entry[] = [];
    let from = 0;
    let open: { name: string; depth: number; begin: number } | undefined;
    const parser = new library.Parser({
      onopentag(tag: string) {
        if (open === undefined && names.has(tag)) {
          addText(entries, source.slice(from, parser.startIndex));
          open = { name: tag, depth: 1, begin: parser.endIndex + 1 };
        } else if (open?.name === tag) open.depth++;
      },
      onclosetag(tag: string, implied: boolean) {
        if (open?.name !== tag || --open.depth > 0) return;
        const end = implied && parser.startIndex < open.begin
          ? open.begin
          : implied && parser.endIndex + 1 >= source.length
          ? source.length
          : parser.startIndex;
        entries.push({ name: tag, content: source.slice(open.begin, end) });
        from = parser.endIndex + 1;
        open = undefined;
      },
    }, {
      lowerCaseTags: false,
      lowerCaseAttributeNames: false,
      recognizeSelfClosing: true,
      decodeEntities: options["decodeEntities"] === true,
    });
    for (const chunk of chunks) parser.write(chunk);
    parser.end();
    if (open === undefined) addText(entries, source.slice(from));
    return entries;
  };
}

const files = process.argv.slice(2);
if (files.length === 0) {
  files.push(
    fileURLToPath(new URL("../test/cases/directive.jsonl", import.meta.url)),
  );
}
const cases: Case[] = files.flatMap((file) =>
  readFileSync(file, "utf8").split("\n").filter((line) => line !== "")
).map((line) => {
  const { id, options, input, expect } = JSON.parse(line);
  const expected = expect.parts.map((
    part: { type: string; name: string; content: string },
  ) =>
    part.type === "text"
      ? { text: part.content }
      : { name: part.name, content: part.content }
  );
  return { id, options, input, expected };
});

const peers: Record<string, Peer | undefined> = {
  millrace,
  "ai extractReasoningMiddleware": aiReasoning,
  "htmlparser2, known names": await htmlparser(),
};

console.log(
  `${"".padEnd(32)}${"right".padStart(8)}${"of".padStart(6)}   not for it`,
);
for (const [name, peer] of Object.entries(peers)) {
  if (peer === undefined) {
    console.log(`${name.padEnd(32)} is not installed`);
    continue;
  }
  let right = 0;
  let beyond = 0;
  for (const { options, input, expected } of cases) {
    const text = typeof input === "string" ? input : input.join("");
    const given = typeof input === "string" ? [input] : input;
    let fits = true;
    for (const chunks of [given, [text], text.split("")]) {
      const entries = await peer(chunks, options);
      if (entries === undefined) {
        beyond++;
        fits = false;
        break;
      }
      if (JSON.stringify(entries) !== JSON.stringify(expected)) fits = false;
    }
    if (fits) right++;
  }
  console.log(
    `${name.padEnd(32)}${String(right).padStart(8)}${
      String(cases.length - beyond).padStart(6)
    }   ${beyond}`,
  );
}
