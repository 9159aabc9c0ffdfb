import { type FenceMode, FenceTrackerStream, type Part } from "../../../mod.ts";
import type { AreaRunner } from "./area_runner.ts";
import { difference, equal, runTextCase } from "./text_case.ts";

interface Block {
  info: string;
  content: string;
  closed: boolean;
}

/** Line ends as LF, one final one removed. */
function tidy(content: string): string {
  return content.replace(/\r\n?/g, "\n").replace(/\n$/, "");
}

/** The blocks that fence parts and marked text tell of. */
export function blocksOf(parts: Iterable<Part>): Block[] {
  const blocks: Block[] = [];
  let content: string[] = [];
  for (const part of parts) {
    if (part.type === "fence-start") content = [];
    else if (part.type === "text" && part.code === "fence") {
      content.push(part.text);
    } else if (part.type === "fence-end") {
      blocks.push({
        info: part.fence.info,
        content: tidy(content.join("")),
        closed: part.closed,
      });
    }
  }
  return blocks;
}

export const run: AreaRunner = (line) => {
  const { mode, nested, glued } = line.options;
  const expected = (line.expect["blocks"] as Block[]).map((block) => ({
    ...block,
    content: tidy(block.content),
  }));
  return runTextCase(
    line,
    () =>
      new FenceTrackerStream({
        ...(mode === undefined ? {} : { mode: mode as FenceMode }),
        nested: nested === true,
        glued: glued === true,
      }),
    (parts) => {
      const blocks = blocksOf(parts);
      return equal(blocks, expected)
        ? undefined
        : difference("blocks", blocks, expected);
    },
  );
};
