/** Small Markdown documents made of what block structure hangs on. */

type Random = () => number;

const PIECES: readonly string[] = [
  ..."> |>|- |-|* |+ |1. |2. |10) |01. |123456789. |1234567890. ".split("|"),
  ..."  |   |    | |\t| \t|```|````|``|`|~~~|~~~~|~~|#|## |#######".split("|"),
  ..."===|---|--|___|* * *|- - -|_ _ _|<div>|</div>|<div|<!--|-->|<?|?>"
    .split("|"),
  ...'<!X|<![CDATA[|]]>|<script>|</script>|<pre|</pre>|<a href="x">|</b >'
    .split("|"),
  ..."<b c='d' e=f/>|<b|<think>|[a]: /u|[a]:|[b]: <u v> \"t\"|\"t|t\"|'t'|(t)"
    .split("|"),
  ..."[|]|text|word word|js|md|a`b|\\|&amp;|\u00a0|x".split("|"),
];
const PREFIXES: readonly string[] =
  "> |>|>\t| > |- |-\t|1. |  |    |\t|   | |* |10. |-   |2. |   > ".split("|");
const BODIES: readonly string[] = [
  ..."```|```js|````|~~~|~~~ x`y|``` a`b|```md|text|||text `x|# h|---|===|- x"
    .split("|"),
  ...'<!-- c|-->|</div>|<a>|[a]: /u|"t"|    code|1. y|2. z|-|* * *|``|- - -'
    .split("|"),
  ..."- ```|> ~~~|+\t```|text ```|code```|``` ``` x".split("|"),
];

function pick<Item>(next: Random, items: readonly Item[]): Item {
  return items[Math.floor(next() * items.length)]!;
}

/** Lines of random pieces. */
export function scatteredDocument(next: Random): string {
  const lines = 1 + Math.floor(next() * 9);
  // One kind of line end: a lone return and a feed from two lines would be one.
  const end = pick(next, ["\n", "\n", "\n", "\r\n", "\r"]);
  let text = "";
  for (let line = 1; line <= lines; line++) {
    const pieces = Math.floor(next() * next() * 7);
    for (let piece = 0; piece < pieces; piece++) text += pick(next, PIECES);
    if (line < lines || next() < 0.6) text += end;
  }
  // Of a last line without line end and content the reference makes a line.
  return text.replace(/[ \t]+$/, "");
}

/** Lines that mostly go on with the containers of the lines before. */
export function nestedDocument(next: Random): string {
  const lines = 2 + Math.floor(next() * 12);
  const end = pick(next, ["\n", "\n", "\n", "\n", "\r\n", "\r"]);
  let containers: string[] = [];
  let text = "";
  for (let line = 1; line <= lines; line++) {
    if (next() < 0.25) containers.push(pick(next, PREFIXES));
    if (next() < 0.15) containers.pop();
    if (next() < 0.05) containers = [];
    if (containers.length > 5) containers.shift();
    let prefix = containers.map((container) => {
      if (!/[-*0-9+]/.test(container) || next() < 0.15) return container;
      const width = container.replace("\t", "   ").length;
      const off = next() < 0.1 ? Math.floor(next() * 3) - 1 : 0;
      return " ".repeat(Math.max(0, width + off));
    }).join("");
    if (next() < 0.07) prefix = prefix.replace(/ {4}/, "\t");
    if (next() < 0.05) prefix = prefix.slice(1);
    text += prefix + pick(next, BODIES) + (next() < 0.1 ? "  " : "");
    if (line < lines || next() < 0.7) text += end;
  }
  return text.replace(/[ \t>]+$/, "");
}
