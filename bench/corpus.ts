/**
 * A deterministic corpus of made-up assistant messages: prose, Markdown, fences
 * in several languages, directives, leaked calls, emoji and CJK.
 */

/** A small source of random numbers in [0, 1), the same for the same seed. */
export function random(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const WORDS =
  "the a stream model reads writes parser token chunk value returns when because while function error line of to and is in it that with for on as this we can then first next after before build test run check type state buffer held emitted closes opens quickly usually never always however therefore example"
    .split(" ");
const LANGUAGES = ["ts", "python", "bash", "json", "rust", "go", "html", ""];
const CODE = [
  "const total = items.reduce((sum, item) => sum + item.price, 0);",
  "if (a < b && b > c) { return map.get(key) ?? fallback; }",
  "def read(path): return open(path).read()",
  'echo "$HOME" | grep -c "^/" > out.txt 2>&1',
  '{ "name": "value", "list": [1, 2, 3] }',
  "for (const [key, value] of Object.entries(record)) {",
  "  console.log(`${key}: ${value}`);",
  "}",
  "",
  "// TODO: nothing is left to do here",
  '<div class="row"><span>text</span></div>',
];
const EXTRAS = ["🙂", "完成", "日本語の文", "é", "—", "👩‍💻"];

/** About `size` characters of messages, joined. */
export function makeCorpus(size: number, seed = 42): string {
  const next = random(seed);
  const pick = <Item>(items: readonly Item[]): Item =>
    items[Math.floor(next() * items.length)]!;
  const sentence = (): string => {
    const words: string[] = [];
    const count = 6 + Math.floor(next() * 16);
    for (let index = 0; index < count; index++) {
      const word = next() < 0.01 ? pick(EXTRAS) : pick(WORDS);
      words.push(
        next() < 0.03 ? `\`${word}\`` : next() < 0.02 ? `**${word}**` : word,
      );
    }
    const text = words.join(" ");
    return `${text[0]!.toUpperCase()}${text.slice(1)}.`;
  };
  const paragraph = (): string => {
    const sentences: string[] = [];
    const count = 2 + Math.floor(next() * 4);
    for (let index = 0; index < count; index++) sentences.push(sentence());
    return `${sentences.join(" ")}\n\n`;
  };
  const fence = (): string => {
    const lines: string[] = [];
    const count = 4 + Math.floor(next() * 20);
    for (let index = 0; index < count; index++) lines.push(pick(CODE));
    return `\`\`\`${pick(LANGUAGES)}\n${lines.join("\n")}\n\`\`\`\n\n`;
  };
  const list = (): string => {
    const items: string[] = [];
    const count = 2 + Math.floor(next() * 4);
    for (let index = 0; index < count; index++) items.push(`- ${sentence()}`);
    return `${items.join("\n")}\n\n`;
  };
  const directive = (): string =>
    `<note level="${pick(["info", "warn"])}">${sentence()}</note>\n\n`;
  const call = (): string =>
    `<function_calls>\n<invoke name="read_file">\n<parameter name="path">src/${
      pick(WORDS)
    }.ts</parameter>\n</invoke>\n</function_calls>\n\n`;
  const pieces: string[] = [];
  let length = 0;
  while (length < size) {
    const dice = next();
    const piece = dice < 0.55
      ? paragraph()
      : dice < 0.72
      ? fence()
      : dice < 0.9
      ? list()
      : dice < 0.96
      ? directive()
      : call();
    pieces.push(piece);
    length += piece.length;
  }
  return pieces.join("");
}

/** A text in messages of about `size` code units, cut between paragraphs. */
export function messagesOf(text: string, size = 3_046): string[] {
  const messages: string[] = [];
  let from = 0;
  while (from < text.length) {
    const end = text.indexOf("\n\n", from + size);
    const to = end < 0 ? text.length : end + 2;
    messages.push(text.slice(from, to));
    from = to;
  }
  return messages;
}

/**
 * A text in chunks of `size` code units. Each is a string of its own, as decoders
 * make them, and no view into the whole text: engines treat these differently.
 */
export function chunked(text: string, size: number): string[] {
  const chunks: string[] = [];
  for (let from = 0; from < text.length; from += size) {
    chunks.push(JSON.parse(JSON.stringify(text.slice(from, from + size))));
  }
  return chunks;
}
