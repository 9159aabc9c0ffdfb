import type { Block, Message } from "../../message.ts";
import { type Draft, sizeOf } from "../draft.ts";
import type {
  Place,
  ReaderContext,
  RecordReader,
  SessionFormat,
} from "../session_format.ts";

/** Aider: `.aider.chat.history.md`, Markdown with marks at the line starts. */
export const aider: SessionFormat = {
  kind: "aider",
  name: "aider",
  framing: "text-lines",
  tagBlocks: true,
  reader: (context, snapshot) =>
    new AiderReader(context, snapshot as State | undefined),
};

const SESSION =
  /^# aider chat started at (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)\s*$/;
const MODEL = /^(?:Main model|Models?): ([^\s,]+)/;

interface State {
  /** What the lines at work belong to. */
  where: "nothing" | "user" | "output" | "answer";
  /** The output's first line had no mark at its end: its other lines have none at all. */
  unmarked: boolean;
  lines: string[];
  /** Where they begin. */
  line: number;
  /** The line behind the last mark: where an answer begins. */
  after: number;
  /**
   * Whether the file has the two blanks at the end of marked lines; editors and
   * hooks take them away. The first `####` line tells, unless blanks came before.
   */
  blanks: "unknown" | "kept" | "stripped";
  /** Blank lines that belong to the answer only if more of it follows. */
  blank: string[];
  sessionId: string | null;
  timestamp: string | null;
  model: string | null;
}

/**
 * ```txt
 *   # aider chat started at …   a new session
 *   #### words␠␠                what the user said, line by line
 *   > words␠␠                   what the program said
 *   > words                     the same, of several lines: up to one that ends in ␠␠
 *   anything else               the answer
 * ```
 */
class AiderReader implements RecordReader {
  readonly #context: ReaderContext;
  readonly #state: State;

  constructor(context: ReaderContext, snapshot: State | undefined) {
    this.#context = context;
    this.#state = snapshot ?? {
      where: "nothing",
      unmarked: false,
      lines: [],
      line: 0,
      after: 1,
      blanks: "unknown",
      blank: [],
      sessionId: null,
      timestamp: null,
      model: null,
    };
  }

  record(value: unknown, { line = 0 }: Place): void {
    const state = this.#state;
    const text = value as string;
    const session = text.startsWith("# aider chat") ? SESSION.exec(text) : null;
    const isUser = text.startsWith("#### ");
    const marked = text.endsWith("  ");
    if (marked && (isUser || text.startsWith("> "))) state.blanks = "kept";
    else if (isUser && state.blanks === "unknown") state.blanks = "stripped";
    const stripped = state.blanks === "stripped";
    const said = isUser && (marked || stripped) ||
      stripped && text === "####" && state.where === "user";
    if (state.unmarked && session === null && !said) {
      state.lines[state.lines.length - 1] += `\n${text}`;
      // A line of nothing but blanks is an empty one of the output.
      if (/\S {2}$/.test(text)) state.unmarked = false;
      state.after = line + 1;
      return;
    }
    state.unmarked = false;
    if (session !== null) {
      this.#close();
      const [, day, time] = session;
      state.sessionId = `${day} ${time}`;
      // The time of the machine's own zone, which is not stored.
      state.timestamp = `${day}T${time}`;
      state.model = null;
      state.after = line + 1;
    } else if (said) {
      this.#add("user", marked ? text.slice(5, -2) : text.slice(5), line);
      state.after = line + 1;
    } else if (text.startsWith("> ") || stripped && text === ">") {
      this.#add("output", marked ? text.slice(2, -2) : text.slice(2), line);
      state.unmarked = !marked && !stripped;
      state.after = line + 1;
      const model = MODEL.exec(text.slice(2, 256));
      if (model !== null) state.model = model[1]!;
    } else if (text.trim() === "") {
      if (state.where === "answer") state.blank.push(text);
      else this.#close();
    } else this.#add("answer", text, state.after);
  }

  end(): void {
    this.#close();
  }

  snapshot(): unknown {
    return this.#state;
  }

  #add(where: State["where"], text: string, line: number): void {
    const state = this.#state;
    if (state.where !== where) {
      this.#close();
      state.where = where;
      state.line = line;
    }
    if (state.blank.length > 0) {
      state.lines.push(...state.blank);
      state.blank = [];
    }
    state.lines.push(text);
  }

  #close(): void {
    const state = this.#state;
    const { where, lines } = state;
    state.where = "nothing";
    state.lines = [];
    state.blank = [];
    if (where === "user") {
      this.#give("user", "person", textBlocks([lines.join("\n")]));
    } else if (where === "answer") {
      this.#give("assistant", "model", textBlocks([`${lines.join("\n")}\n`]));
    } else if (where === "output") {
      this.#give("tool", "program", textBlocks(lines));
    }
  }

  #give(
    role: Message["role"],
    origin: Draft["origin"],
    blocks: Block[],
  ): void {
    const { line, sessionId, timestamp, model } = this.#state;
    this.#context.window.add({
      id: `line-${line}`,
      role,
      origin,
      blocks,
      line,
      size: sizeOf(blocks),
      ...(sessionId === null ? {} : { sessionId }),
      ...(timestamp === null ? {} : { timestamp }),
      ...(role === "assistant" && model !== null ? { model } : {}),
    });
  }
}

function textBlocks(texts: readonly string[]): Block[] {
  return texts.map((text) => ({ type: "text", text }));
}
