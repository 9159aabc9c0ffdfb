import type { Draft } from "../draft.ts";
import type {
  Place,
  ReaderContext,
  RecordReader,
  SessionFormat,
} from "../session_format.ts";
import { simpleDraft } from "./simple_draft.ts";

/** SpecStory: Markdown with `_**User**_` and the like before each message. */
export const specStory: SessionFormat = {
  kind: "specstory",
  name: "specstory",
  framing: "text-lines",
  reader: (context, snapshot) =>
    new SpecStoryReader(context, snapshot as State | undefined),
};

/** A line that says who speaks, in both versions; an empty name is a tool's output. */
export const SPEAKER: RegExp =
  /^_\*\*(User|Assistant|Agent|)( - sidechain)?(?: \(([^()]*)\))?\*\*_\s*$/;

interface State {
  role: "user" | "assistant" | "tool" | null;
  sidechain: boolean;
  /** What stands in brackets behind the name: model and time. */
  note: string;
  lines: string[];
  line: number;
}

class SpecStoryReader implements RecordReader {
  readonly #context: ReaderContext;
  readonly #state: State;

  constructor(context: ReaderContext, snapshot: State | undefined) {
    this.#context = context;
    this.#state = snapshot ??
      { role: null, sidechain: false, note: "", lines: [], line: 0 };
  }

  record(value: unknown, { line = 0 }: Place): void {
    const state = this.#state;
    const text = value as string;
    const match = text.startsWith("_**") ? SPEAKER.exec(text) : null;
    if (match === null) {
      if (state.role !== null) state.lines.push(text);
      return;
    }
    this.#close();
    state.role = match[1] === "User"
      ? "user"
      : match[1] === ""
      ? "tool"
      : "assistant";
    state.sidechain = match[2] !== undefined;
    state.note = match[3] ?? "";
    state.line = line;
  }

  end(): void {
    this.#close();
  }

  snapshot(): unknown {
    return this.#state;
  }

  #close(): void {
    const state = this.#state;
    const { role, note, lines, line } = state;
    state.lines = [];
    if (role === null) return;
    while (lines.length > 0 && /^(?:---)?\s*$/.test(lines.at(-1)!)) lines.pop();
    const first = lines.findIndex((each) => each.trim() !== "");
    const text = first < 0 ? "" : `${lines.slice(first).join("\n")}\n`;
    const words = note.split(" ");
    const time = words.findIndex((word) => /^\d{4}-\d\d-\d\d$/.test(word));
    const model = words.slice(0, Math.max(0, time)).join(" ");
    const draft = simpleDraft(
      role,
      text === "" ? [] : [{ type: "text", text }],
      { line },
      {
        ...(time < 0 ? {} : { timestamp: words.slice(time).join("T") }),
        ...(model === "" ? {} : { model }),
      },
    );
    if (state.sidechain) draft.sidechain = true;
    maskTools(draft, text);
    this.#context.window.add(draft);
  }
}

/** What tools put out is in tags and holds fences of its own. */
function maskTools(draft: Draft, text: string): void {
  for (let at = 0;;) {
    const tool = text.indexOf("<tool-use", at);
    const details = text.indexOf("<details>", at);
    const start = tool < 0
      ? details
      : details < 0
      ? tool
      : Math.min(tool, details);
    if (start < 0) return;
    const closer = start === tool ? "</tool-use>" : "</details>";
    const found = text.indexOf(closer, start);
    const end = found < 0 ? text.length : found + closer.length;
    (draft.masks ??= []).push([0, start, end]);
    at = end;
  }
}
