/**
 * Random texts that look like what models write, and like what breaks readers
 * of it: pieces of markup, whole documents, calls in every dialect, handed
 * cases, and all of these cut, spliced and damaged.
 */
import { MARKUP } from "../laws.ts";
import { CALLS, NAMED_CALLS, PIECES } from "../transforms/salvage_alphabet.ts";
import { caseTexts } from "./corpus.ts";
import type { RandomSource } from "./random_source.ts";

/** What is hard for every reader of text. */
const ODDITIES: readonly string[] = [
  "\u0000",
  "\ufeff",
  "\ud83d",
  "\ude00",
  "\u{1f600}",
  "\u2028",
  "\u0085",
  "\u200b",
  "\u202e",
  "\u001b[31m",
  "\ufffd",
  "\f",
  "\v",
  "\u00a0",
  "__proto__",
  "constructor",
  "toString",
  "\r",
  "\r\n",
  "\n\r",
];

/** What directives are made of. */
const DIRECTIVES: readonly string[] = [
  "<log>",
  "</log>",
  "<log/>",
  "< log>",
  "<log a='1' b=\"x>y\" c=d e>",
  '<log a="',
  "<log\n",
  "</log ",
  "</log\n>",
  "<LOG>",
  "</LOG>",
  "<note>",
  "</note>",
  "<think>",
  "</think>",
  "<thinking>",
  "</thinking>",
  "<log><level>warn</level></log>",
  "<level>",
  "</level>",
  "<message>",
  "</message>",
  "\\<log>",
  "`<log>`",
  "&lt;log&gt;",
  "&amp;",
  "&#60;",
  "&#x110000;",
  "&quot",
  "<![CDATA[",
  "]]>",
  "<!-- <log> -->",
  ":::log\n",
  ":::log{a=1 .b #c}\n",
  ":::log[label]{a='x'}\n",
  "::::log\n",
  ":::\n",
  "::::\n",
  ":::note\n",
  ":::",
  "{a=",
  "}",
];

/** What snippets are told by. */
const SNIPPETS: readonly string[] = [
  "```ts src/a.ts (3-9)\n",
  "```src/a.ts\n",
  "```ts:src/a.ts\n",
  "```12:15:src/a.ts\n",
  '```js title="b.js" {1,3}\n',
  "```\n",
  "~~~sh\n",
  "```diff\n--- a/x.ts\n+++ b/x.ts\n",
  "// filepath: src/a.ts\n",
  "# filename: a.py\n",
  "**src/a.ts**\n",
  "### `src/a.ts`:\n",
  "- src/a.ts\n",
  "In `src/a.ts`, change:\n",
  "src/a.ts\n```\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n```\n",
  "<source>python\n",
  "</source>\n",
  "<code>\n",
  "</code>\n",
  "const a = 1;\n",
  "\n",
  "\r\n",
];

/** What lines of Markdown begin with. */
const PREFIXES: readonly string[] = [
  "",
  "",
  "",
  "",
  "> ",
  ">",
  "> > ",
  "- ",
  "* ",
  "+ ",
  "1. ",
  "10) ",
  "   ",
  "    ",
  "  ",
  "\t",
  " > ",
  "-\t",
  "-   ",
  "> - ",
  "- > ",
];

/** What lines of Markdown hold. */
const LINES: readonly string[] = [
  "",
  "",
  " ",
  "word",
  "some prose that goes on",
  "```",
  "```js",
  "````md",
  "````",
  "~~~",
  "~~~~ a b",
  "``` not`info",
  "``",
  "`code`",
  "a `code` b",
  "a ``c`d`` e",
  "an odd ` tick",
  "a \\` b",
  "# heading",
  "===",
  "---",
  "***",
  "<div>",
  "</div>",
  "<!--",
  "-->",
  "<script>",
  "</script>",
  "<pre>",
  "[a]: /url",
  '[a]: /url "title"',
  "[a",
  "<log>",
  "</log>",
  "<log>x</log>",
  "<think>",
  "</think>",
  ":::log",
  ":::",
  '"quoted"',
  'an inch "',
  "text```js",
  "```text",
  "```` ```",
  "<a href='x'>`</a>`",
  "<http://a.b/`>`",
  "| a | b |",
  "[a]:",
  "  /url",
  "[a]: <b c> 'one",
  "two'",
  "[a]: /url (t) x",
  "[a\\]]: /u\\ (",
  "[",
  "]: /url",
  '"title',
  "<?php",
  "?>",
  "<!DOCTYPE html>",
  "<![CDATA[",
  "]]>",
  "</pre>",
  "<textarea>",
  "<table",
  "<custom-tag a='b' c=d e>",
  "</custom-tag >",
  "<a b='",
  "<details><summary>",
  "</ div>",
  "1234567890. x",
  "0) x",
  "-",
  "+",
  "1.",
  "* * *",
  "_ _ _",
  "    indented",
  "\tindented",
  "`` ` `` `",
  "&amp; &#35;",
  "\\```",
  '``` \\" a',
  "~~~ &amp;js ` {.a}",
];

const TEXTS: readonly string[] = caseTexts(
  "salvage",
  "fence",
  "directive",
  "snippet",
  "surrogate",
);

const SEQUENCES: readonly (readonly string[])[] = [
  ...Object.values(CALLS),
  ...Object.values(NAMED_CALLS),
];

/** Values that arguments may have, as they stand in tag grammars. */
const VALUES: readonly string[] = [
  "a",
  "",
  " a ",
  "\na\n",
  "7",
  "null",
  "true",
  '"',
  "`",
  "```js\nx\n```",
  "<think>",
  "a < b && c",
  "</parameter",
  "<parameter>",
  "\\d+\\.",
  "é\u{1f600}",
  '{"a":[1,{}]}',
];

function pieces(random: RandomSource, alphabet: readonly string[]): string {
  const count = random.below(random.chance(0.1) ? 60 : 20);
  return random.times(count, () => random.pick(alphabet)).join("");
}

function markdown(random: RandomSource): string {
  const end = random.pick(["\n", "\n", "\n", "\r\n", "\r"]);
  const container = random.chance(0.4) ? random.pick(PREFIXES) : "";
  const lines = random.times(random.between(1, 14), () => {
    const prefix = random.chance(0.7) ? container : random.pick(PREFIXES) +
      (random.chance(0.2) ? random.pick(PREFIXES) : "");
    const line = random.chance(0.1)
      ? random.pick(LINES) + random.pick(LINES)
      : random.pick(LINES);
    return prefix + line;
  });
  return lines.join(end) + (random.chance(0.5) ? end : "");
}

/** A call, whole or damaged, with prose or quoting around it. */
function call(random: RandomSource): string {
  const pieces = [...random.pick(SEQUENCES)];
  if (random.chance(0.4)) {
    const at = pieces.indexOf("a");
    if (at >= 0) pieces[at] = random.pick(VALUES);
  }
  while (random.chance(0.3)) {
    const at = random.below(pieces.length + 1);
    random.choose([
      [3, () => void pieces.splice(at, 1)],
      [2, () => void pieces.splice(at, 0, random.pick(PIECES))],
      [1, () => void (pieces.length = Math.min(at, pieces.length))],
      [1, () => void pieces.splice(at, 0, pieces[at] ?? "")],
      [
        2,
        () =>
          void pieces.splice(at, 0, random.pick(["\n", " ", "\r\n", "\n\n"])),
      ],
    ]);
  }
  return pieces.join("");
}

function calls(random: RandomSource): string {
  return random.times(random.between(1, 4), () => {
    const one = call(random);
    return random.choose([
      [6, () => one],
      [2, () => random.pick(["So: ", "\n", "I call it:\n\n", "count\n"]) + one],
      [
        1,
        () => one + random.pick(["\n", " and so on", "\n\nDone.", "`", "\n`"]),
      ],
      [1, () => `\`${one}\``],
      [1, () => `"${one}"`],
      [1, () => "```\n" + one + "\n```\n"],
      [1, () => `> ${one.replaceAll("\n", "\n> ")}`],
      [1, () => `<think>${one}</think>`],
    ]);
  }).join(random.pick(["", "\n", "\n\n", " "]));
}

/** The end of one text behind the beginning of another. */
function spliced(random: RandomSource, one: string, other: string): string {
  return one.slice(0, random.below(one.length + 1)) +
    other.slice(random.below(other.length + 1));
}

/** A text with some damage. */
export function mutated(
  random: RandomSource,
  text: string,
  alphabet: readonly string[] = PIECES,
): string {
  for (let times = random.between(1, 4); times > 0; times--) {
    const at = random.below(text.length + 1);
    const to = Math.min(text.length, at + 1 + random.below(8));
    text = random.choose([
      [4, () => text.slice(0, at) + random.pick(alphabet) + text.slice(at)],
      [3, () => text.slice(0, at) + text.slice(to)],
      [3, () => text.slice(0, at) + random.pick(alphabet) + text.slice(to)],
      [
        2,
        () => text.slice(0, at) + text.slice(at, to).repeat(2) + text.slice(to),
      ],
      [1, () => text.slice(0, at)],
      [1, () => text.slice(at)],
      [1, () => text.slice(0, at) + random.pick(ODDITIES) + text.slice(at)],
      [1, () => text.replaceAll("\n", random.pick(["\r\n", "\r", "\n\n"]))],
      [1, () => text.slice(0, at) + text[at] + text.slice(at)],
      [1, () => text + random.pick(alphabet)],
      [1, () => random.pick(alphabet) + text],
    ]);
  }
  return text;
}

/** The kinds of text that a subject likes most. */
export type Taste = "markdown" | "calls" | "directives" | "snippets" | "all";

const ALPHABETS: Readonly<Record<Taste, readonly string[]>> = {
  markdown: [...MARKUP, ...LINES, ...PREFIXES, "\n", "\n", "\n"],
  calls: PIECES,
  directives: [...DIRECTIVES, ...DIRECTIVES, ...MARKUP],
  snippets: [...SNIPPETS, ...SNIPPETS, ...MARKUP],
  all: [...PIECES, ...DIRECTIVES, ...SNIPPETS, ...ODDITIES, ...LINES],
};

/** A random text. */
export function randomText(random: RandomSource, taste: Taste): string {
  const alphabet = ALPHABETS[taste];
  const base = (): string =>
    random.choose([
      [4, () => pieces(random, alphabet)],
      [1, () => pieces(random, ALPHABETS.all)],
      [taste === "calls" || taste === "all" ? 6 : 1, () => calls(random)],
      [taste === "calls" ? 1 : 4, () => markdown(random)],
      [3, () => random.pick(TEXTS)],
    ]);
  let text = base();
  if (random.chance(0.3)) text = spliced(random, text, base());
  else if (random.chance(0.15)) text += base();
  if (random.chance(0.4)) text = mutated(random, text, alphabet);
  return text.length > 2000 ? text.slice(0, 2000) : text;
}
