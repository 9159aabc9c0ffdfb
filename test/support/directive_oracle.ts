/**
 * A second, naive reading of directives over a whole text: quadratic, recursive
 * and without any state machine. The extractor is compared with it.
 */
import { MarkdownLines } from "../../transforms/internal/markdown_lines.ts";

/** What the oracle finds. */
export type OracleEntry =
  | { text: string }
  | { name: string; content: string; complete: boolean };

interface Layout {
  /** Kind of each code unit. */
  kinds: string[];
  /** Where paragraphs end. */
  ends: number[];
}

/** Lays a text out from an offset on; `middle` says that a line goes on there. */
function layOut(text: string, from: number, middle: boolean): Layout {
  const kinds: string[] = new Array(from).fill("prose");
  const ends: number[] = [];
  let on = !middle;
  const lines = new MarkdownLines({}, {
    text(piece, kind) {
      if (on) { for (let at = 0; at < piece.length; at++) kinds.push(kind); }
    },
    fenceStart() {},
    fenceEnd() {},
    paragraphEnd() {
      ends.push(kinds.length);
    },
    limit() {},
  });
  if (middle) {
    lines.advance("x");
    on = true;
  }
  lines.advance(text.slice(from));
  lines.end();
  return { kinds, ends };
}

const BLANK = "[ \\t\\n\\r\\f]";
const VALUE = `"[^"]*"|'[^']*'|[^ \\t\\n\\r\\f"'>\`<][^ \\t\\n\\r\\f>\`<]*`;
const ATTRIBUTE =
  `[^ \\t\\n\\r\\f"'<>/=\`]+(?:${BLANK}*=${BLANK}*(?:${VALUE}))?`;

/** Reads a text with these names; those in `reasoning` are flat and close in fences too. */
export function readDirectives(
  text: string,
  names: readonly string[],
  reasoning: readonly string[],
): OracleEntry[] {
  const entries: OracleEntry[] = [];
  let layout = layOut(text, 0, false);
  let at = 0;
  let open: { name: string; depth: number; from: number } | undefined;
  let from = 0;

  const isProse = (start: number, end: number): boolean => {
    for (let index = start; index < end; index++) {
      if (layout.kinds[index] !== "prose") return false;
    }
    return true;
  };
  const slashed = (index: number): boolean => {
    let before = index;
    while (before > 0 && text[before - 1] === "\\") before--;
    return (index - before) % 2 === 1;
  };
  const match = (pattern: string, index: number): string | undefined => {
    const found = new RegExp(pattern, "y");
    found.lastIndex = index;
    return found.exec(text)?.[0];
  };
  const opener = (name: string, index: number): string | undefined =>
    match(`<${name}(?:${BLANK}(?:${BLANK}|${ATTRIBUTE})*)?/?>`, index);
  const closer = (name: string, index: number): string | undefined =>
    match(`</${name}${BLANK}*>`, index);
  /** End of the paragraph that a place is in. */
  const paragraphEnd = (index: number): number => {
    let end = index;
    while (
      end < text.length && layout.kinds[end] === "prose" &&
      !(end > index && layout.ends.includes(end))
    ) end++;
    return end;
  };
  const runAt = (index: number, end: number): number => {
    let to = index;
    while (to < end && text[to] === "`") to++;
    return to - index;
  };
  /** Where the span ends that a run opens, or -1. */
  const spanEnd = (index: number, end: number): number => {
    const length = runAt(index, end);
    const opens = slashed(index) ? length - 1 : length;
    if (opens === 0) return -1;
    for (let next = index + length; next < end;) {
      const other = runAt(next, end);
      if (other === opens) return next + other;
      next += other || 1;
    }
    return -1;
  };
  const give = (end: number): void => {
    if (open === undefined && end > from) {
      entries.push({ text: text.slice(from, end) });
    }
  };
  const close = (index: number, tag: string): void => {
    entries.push({
      name: open!.name,
      content: text.slice(open!.from, index),
      complete: true,
    });
    open = undefined;
    at = from = index + tag.length;
  };

  while (at < text.length) {
    const isReasoning = open !== undefined && reasoning.includes(open.name);
    if (layout.kinds[at] !== "prose") {
      const tag = isReasoning ? closer(open!.name, at) : undefined;
      const kind = layout.kinds[at];
      if (
        tag !== undefined &&
        layout.kinds.slice(at, at + tag.length).every((one) => one === kind)
      ) {
        close(at, tag);
        layout = layOut(text, at, true);
      } else at++;
      continue;
    }
    if (text[at] === "`") {
      let end = paragraphEnd(at);
      if (isReasoning) {
        // Spans stay on their line there.
        let lineEnd = at;
        while (lineEnd < end && !"\r\n".includes(text[lineEnd]!)) lineEnd++;
        end = lineEnd;
      }
      const to = spanEnd(at, end);
      at = to < 0 ? at + runAt(at, end) : to;
      continue;
    }
    if (text[at] === "<" && !slashed(at)) {
      if (open === undefined) {
        const name = names.find((one) => opener(one, at) !== undefined);
        const tag = name === undefined ? undefined : opener(name, at)!;
        if (tag !== undefined && isProse(at, at + tag.length)) {
          give(at);
          at = from = at + tag.length;
          if (isSelfClosing(tag)) {
            entries.push({ name: name!, content: "", complete: true });
          } else open = { name: name!, depth: 1, from: at };
          continue;
        }
      } else {
        const start = isReasoning ? undefined : opener(open.name, at);
        const end = closer(open.name, at);
        const tag = start ?? end;
        if (tag !== undefined && isProse(at, at + tag.length)) {
          if (end === undefined) {
            if (!isSelfClosing(tag)) open.depth++;
          } else if (--open.depth === 0) {
            close(at, tag);
            continue;
          }
          at += tag.length;
          continue;
        }
      }
    }
    at++;
  }
  give(text.length);
  if (open !== undefined) {
    entries.push({
      name: open.name,
      content: text.slice(open.from),
      complete: false,
    });
  }
  return entries;
}

/** A slash right before the end that is not part of a value without quotes. */
function isSelfClosing(tag: string): boolean {
  return tag.endsWith("/>") &&
    !new RegExp(`=${BLANK}*[^ \\t\\n\\r\\f"'>][^ \\t\\n\\r\\f>]*/>$`).test(tag);
}
