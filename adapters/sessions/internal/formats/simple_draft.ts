import type { Block, Message } from "../../message.ts";
import { timestampOf } from "../content_blocks.ts";
import { type Draft, sizeOf } from "../draft.ts";
import type { Place } from "../session_format.ts";

/** What a record tells of a message beside its blocks; what is absent is left out. */
export interface DraftFields {
  id?: string | undefined;
  timestamp?: unknown;
  model?: string | undefined;
  sessionId?: string | undefined;
  cwd?: string | undefined;
  parentId?: string | undefined;
}

/** A message of a role, with what the role tells about its origin. */
export function simpleDraft(
  role: Message["role"],
  blocks: Block[],
  { line, index }: Place,
  fields: DraftFields,
): Draft {
  const { id, model, sessionId, cwd, parentId } = fields;
  const timestamp = timestampOf(fields.timestamp);
  return {
    id: id ?? (line === undefined ? `item-${index}` : `line-${line}`),
    role,
    origin: role === "assistant"
      ? "model"
      : role === "user"
      ? "person"
      : role === "tool"
      ? "tool"
      : "program",
    blocks,
    size: sizeOf(blocks),
    ...(line === undefined ? {} : { line }),
    ...(index === undefined ? {} : { index }),
    ...(timestamp === undefined ? {} : { timestamp }),
    ...(role !== "assistant" || model === undefined ? {} : { model }),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(parentId === undefined ? {} : { parentId }),
  };
}
