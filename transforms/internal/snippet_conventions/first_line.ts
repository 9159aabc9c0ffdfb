/** The first line of a snippet's content, bounded, without white space around it. */
export function firstLine(content: string): string {
  const end = content.indexOf("\n");
  return content.slice(0, Math.min(end < 0 ? content.length : end, 1_024))
    .trim();
}

/**
 * What a line says that is nothing but a comment in some language, or
 * `undefined`. A shebang is none.
 */
export function commentText(line: string): string | undefined {
  if (line.startsWith("#!")) return undefined;
  for (const [open, close] of COMMENTS) {
    if (!line.startsWith(open)) continue;
    let text = line.slice(open.length);
    if (close !== "") {
      if (text.endsWith(close)) text = text.slice(0, -close.length);
    } else if (open !== "--") {
      // More of the same: `;;;`, `%%`; `//!` is a comment on the file. `---` is the
      // head of a diff.
      let more = 0;
      while (text[more] === open.at(-1)) more++;
      if (open === "//" && text[more] === "!") more++;
      text = text.slice(more);
    }
    return text.trim();
  }
  return /^(?:@?rem)\s/i.test(line)
    ? line.slice(line.indexOf(" ") + 1).trim()
    : undefined;
}

/** Openers and closers of comments, longer openers first. */
const COMMENTS: readonly (readonly [string, string])[] = [
  ["<!--", "-->"],
  ["{{!--", "--}}"],
  ["{{/*", "*/}}"],
  ["{/*", "*/}"],
  ["/**", "*/"],
  ["/*!", "*/"],
  ["/*", "*/"],
  ["<%--", "--%>"],
  ["<%#", "%>"],
  ["<#", "#>"],
  ["@*", "*@"],
  ["(*", "*)"],
  ["{-", "-}"],
  ["{#", "#}"],
  ["--[[", "]]"],
  ['"""', '"""'],
  ["'''", "'''"],
  ["//", ""],
  ["--", ""],
  ["::", ""],
  ["#", ""],
  [";", ""],
  ["%", ""],
  ["! ", ""],
  ["'", ""],
  ['" ', ""],
];
