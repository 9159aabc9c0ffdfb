import { setOwn } from "../../../../transforms/internal/own_property.ts";
import type { ToolCallBlock } from "../../message.ts";

/** A call written as tags in a message's text. */
export interface XmlCall {
  call: ToolCallBlock | undefined;
  start: number;
  end: number;
}

/** Tools of Cline and Roo Code whose arguments hold no words of the answer. */
const OPENER =
  /<(write_to_file|replace_in_file|apply_diff|insert_content|search_and_replace|edit_file|execute_command|read_file|search_files|list_files|list_code_definition_names|browser_action|use_mcp_tool|access_mcp_resource)>/g;

/**
 * The calls written as tags in a text: `<tool><name>value</name>…</tool>`. A
 * value ends at its closing tag when another value or the call's end follows, so
 * that it may hold tags itself. Of a call that is cut only the place is told.
 */
export function xmlCalls(text: string): XmlCall[] {
  const calls: XmlCall[] = [];
  OPENER.lastIndex = 0;
  for (
    let match = OPENER.exec(text);
    match !== null;
    match = OPENER.exec(text)
  ) {
    const found = readCall(text, match[1]!, match.index, OPENER.lastIndex);
    if (found === undefined) continue;
    calls.push(found);
    OPENER.lastIndex = found.end;
  }
  return calls;
}

function readCall(
  text: string,
  toolName: string,
  start: number,
  inside: number,
): XmlCall | undefined {
  const input: Record<string, unknown> = {};
  let at = inside;
  for (;;) {
    const tag = tagAt(text, at);
    // Only named in passing.
    if (tag === undefined) return at === inside ? undefined : cut(text, start);
    if (tag.name === `/${toolName}`) {
      return {
        call: { type: "tool-call", toolName, input },
        start,
        end: tag.end,
      };
    }
    if (tag.name.startsWith("/")) return undefined;
    const end = valueEnd(text, tag.name, tag.end, toolName);
    if (end === undefined) return cut(text, start);
    setOwn(input, tag.name, unframed(text.slice(tag.end, end)));
    at = end + tag.name.length + 3;
  }
}

function cut(text: string, start: number): XmlCall {
  return { call: undefined, start, end: text.length };
}

/** The tag that comes next behind white space. */
function tagAt(
  text: string,
  from: number,
): { name: string; end: number } | undefined {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= 0x20) at++;
  const match = /^<(\/?\w{1,64})>/.exec(text.slice(at, at + 68));
  return match === null
    ? undefined
    : { name: match[1]!, end: at + match[0].length };
}

/** Where a value ends: before its closing tag that another tag of the call follows. */
function valueEnd(
  text: string,
  name: string,
  from: number,
  toolName: string,
): number | undefined {
  const closer = `</${name}>`;
  for (
    let at = text.indexOf(closer, from);
    at >= 0;
    at = text.indexOf(closer, at + 1)
  ) {
    const next = tagAt(text, at + closer.length);
    if (
      next !== undefined &&
      (next.name === `/${toolName}` || !next.name.startsWith("/"))
    ) return at;
  }
  return undefined;
}

/** A value without the one line end on each side that is not its own. */
function unframed(value: string): string {
  return value.replace(/^\r?\n/, "").replace(/\r?\n$/, "");
}
