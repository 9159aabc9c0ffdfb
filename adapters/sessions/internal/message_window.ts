import type { Block, Message, ToolCallBlock } from "../message.ts";
import { type Draft, sizeOf } from "./draft.ts";
import { RecentMap, type RecentMapSnapshot } from "./recent_map.ts";
import type { SnippetFinder } from "./snippets_of.ts";

/** How much may be open. */
export interface WindowLimits {
  maxOpenMessages: number;
  maxOpenChars: number;
}

/** So many records (and messages that have left) are remembered at least. */
const REMEMBERED = 32_768;

/** The state of a {@linkcode MessageWindow} as plain data. */
export interface MessageWindowSnapshot {
  drafts: Draft[];
  parents: RecentMapSnapshot<string>;
  /** Keys of messages that have left, to know a revision. */
  left: RecentMapSnapshot<true>;
}

/**
 * The messages that may still grow, in the order of their first lines. The
 * oldest leaves when there are too many, all of them leave at the end.
 */
export class MessageWindow {
  readonly #limits: WindowLimits;
  readonly #finder: SnippetFinder;
  readonly #give: (message: Message) => void;
  readonly #drafts: Draft[] = [];
  readonly #byKey = new Map<string, Draft>();
  readonly #byCall = new Map<string, Draft>();
  /** Which message a record (by its id) belongs to or follows. */
  readonly #parents: RecentMap<string>;
  readonly #left: RecentMap<true>;
  #size = 0;

  constructor(
    limits: WindowLimits,
    finder: SnippetFinder,
    give: (message: Message) => void,
    snapshot?: MessageWindowSnapshot,
  ) {
    this.#limits = limits;
    this.#finder = finder;
    this.#give = give;
    this.#parents = new RecentMap(REMEMBERED, snapshot?.parents);
    this.#left = new RecentMap(REMEMBERED, snapshot?.left);
    for (const draft of snapshot?.drafts ?? []) this.#keep(draft);
  }

  /** A message begins. It leaves at once when nothing may be open. */
  add(draft: Draft): void {
    if (draft.key !== undefined && this.#left.get(draft.key) === true) {
      draft.revision = true;
    }
    this.#keep(draft);
    this.trim();
  }

  /** The open message with a key. */
  get(key: string): Draft | undefined {
    return this.#byKey.get(key);
  }

  /** The open message that makes a call. */
  caller(toolCallId: string): Draft | undefined {
    return this.#byCall.get(toolCallId);
  }

  /** An open message goes on with these blocks. */
  append(draft: Draft, blocks: readonly Block[]): void {
    for (const block of blocks) {
      draft.blocks.push(block);
      this.#noteCall(block, draft);
    }
    this.grew(draft, sizeOf(blocks));
  }

  /** An open message's content is all new. */
  replace(draft: Draft, blocks: Block[]): void {
    draft.blocks = blocks;
    for (const block of blocks) this.#noteCall(block, draft);
    this.grew(draft, sizeOf(blocks) - draft.size);
  }

  /** An open message holds so many characters more. */
  grew(draft: Draft, size: number): void {
    draft.size += size;
    this.#size += size;
    this.trim();
  }

  /** A record belongs to a message, or (`id` absent) to the one its parent belongs to. */
  link(record: string, parent: string | undefined, id?: string): void {
    const target = id ?? this.parentOf(parent);
    if (target !== undefined) this.#parents.set(record, target);
  }

  /** The message that a record belongs to or follows. */
  parentOf(record: string | undefined): string | undefined {
    return record === undefined ? undefined : this.#parents.get(record);
  }

  /** Lets the oldest leave as long as too much is open. */
  trim(): void {
    while (
      this.#drafts.length > this.#limits.maxOpenMessages ||
      this.#size > this.#limits.maxOpenChars && this.#drafts.length > 0
    ) this.#leave();
  }

  /** Lets all leave. */
  flush(): void {
    while (this.#drafts.length > 0) this.#leave();
  }

  snapshot(): MessageWindowSnapshot {
    return {
      drafts: [...this.#drafts],
      parents: this.#parents.snapshot(),
      left: this.#left.snapshot(),
    };
  }

  #keep(draft: Draft): void {
    this.#drafts.push(draft);
    this.#size += draft.size;
    if (draft.key !== undefined) this.#byKey.set(draft.key, draft);
    for (const block of draft.blocks) this.#noteCall(block, draft);
  }

  #noteCall(block: Block, draft: Draft): void {
    if (block.type === "tool-call" && block.toolCallId !== undefined) {
      this.#byCall.set(block.toolCallId, draft);
    }
  }

  #leave(): void {
    const draft = this.#drafts.shift()!;
    this.#forget(draft);
    if (draft.key !== undefined) this.#left.set(draft.key, true);
    this.#give(messageOf(draft, this.#finder));
  }

  #forget(draft: Draft): void {
    this.#size -= draft.size;
    if (draft.key !== undefined && this.#byKey.get(draft.key) === draft) {
      this.#byKey.delete(draft.key);
    }
    const calls = draft.blocks.filter((block): block is ToolCallBlock =>
      block.type === "tool-call"
    );
    for (const { toolCallId } of calls) {
      if (
        toolCallId !== undefined && this.#byCall.get(toolCallId) === draft
      ) this.#byCall.delete(toolCallId);
    }
  }
}

/** The message a draft has become. */
export function messageOf(draft: Draft, finder: SnippetFinder): Message {
  const snippets = finder.find(draft);
  const { id, role, timestamp, model, blocks } = draft;
  const message: Message = {
    id,
    role,
    ...(timestamp === undefined ? {} : { timestamp }),
    ...(model === undefined ? {} : { model }),
    blocks,
    snippets,
    hasCode: snippets.length > 0,
    origin: draft.origin,
  };
  const { parentId, sidechain, sessionId, cwd, line, index, revision } = draft;
  if (parentId !== undefined) message.parentId = parentId;
  if (sidechain !== undefined) message.sidechain = sidechain;
  if (sessionId !== undefined) message.sessionId = sessionId;
  if (cwd !== undefined) message.cwd = cwd;
  if (line !== undefined) message.line = line;
  if (index !== undefined) message.index = index;
  if (revision !== undefined) message.revision = revision;
  return message;
}
