import { createRequire } from "node:module";

/** A fenced block as the reference implementation sees it. */
export interface ReferenceBlock {
  info: string;
  /** Line ends are LF; the last line has one too. */
  content: string;
}

const { Parser } = createRequire(import.meta.url)("commonmark");

/** The fenced blocks of a text, found by commonmark.js. */
export function referenceBlocks(text: string): ReferenceBlock[] {
  // A lone carriage return at the end would count as one more line there.
  const lines = text.replace(/\r\n?/g, "\n");
  const walker = new Parser().parse(lines).walker();
  const blocks: ReferenceBlock[] = [];
  for (let event = walker.next(); event !== null; event = walker.next()) {
    const { node } = event;
    if (event.entering && node.type === "code_block" && node._isFenced) {
      blocks.push({ info: node.info, content: node.literal });
    }
  }
  return blocks;
}

/** The contents of the code spans of a text, found by commonmark.js. */
export function referenceSpans(text: string): string[] {
  const walker = new Parser().parse(text).walker();
  const spans: string[] = [];
  for (let event = walker.next(); event !== null; event = walker.next()) {
    if (event.entering && event.node.type === "code") {
      spans.push(event.node.literal);
    }
  }
  return spans;
}

/**
 * Whether blocks are the same, but for what text that is never rewritten cannot
 * have in common with commonmark.js:
 * - NUL is not replaced;
 * - a line of nothing but blanks in a list item keeps what it has beyond the
 *   item's indentation (commonmark.js stands alone there; cmark, micromark and
 *   markdown-it keep it too);
 * - a tab that a container takes in part stays a tab, where the reference puts
 *   the spaces that are left.
 */
export function sameBlocks(
  ours: readonly ReferenceBlock[],
  theirs: readonly ReferenceBlock[],
): boolean {
  return ours.length === theirs.length && ours.every((block, index) => {
    const other = theirs[index]!;
    if (block.info.replaceAll("\0", "\ufffd") !== other.info) return false;
    const lines = tidy(block.content).split("\n");
    const others = tidy(other.content).split("\n");
    return lines.length === others.length &&
      lines.every((line, at) => sameLine(line, others[at]!));
  });
}

function tidy(content: string): string {
  return content.replace(/\r\n?/g, "\n").replaceAll("\0", "\ufffd")
    .replace(/\n$/, "");
}

function sameLine(line: string, other: string): boolean {
  if (line === other || line.trim() + other.trim() === "") return true;
  if (!line.startsWith("\t")) return false;
  return [" ", "  ", "   "].some((blanks) => blanks + line.slice(1) === other);
}
