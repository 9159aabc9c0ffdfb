import { builtInToolEdits, toolSnippets } from "./tool_edits.ts";
import { HeldText, textPart } from "./held_text.ts";
import { isAside } from "./is_aside.ts";
import { LastLines, type LastLinesSnapshot } from "./last_lines.ts";
import { type LineKind, MarkdownLines } from "./markdown_lines.ts";
import { makeSnapshot, openSnapshot } from "./snapshot.ts";
import {
  guessedConventions,
  infoConventions,
  sureConventions,
} from "./snippet_conventions/mod.ts";
import { languageId } from "../language_id.ts";
import type {
  CodeKind,
  Fence,
  Part,
  PartOf,
  SnippetPart,
  SnippetStartPart,
  TextPart,
} from "../part.ts";
import type {
  SnippetContext,
  SnippetConvention,
  SnippetPlace,
} from "../snippet_convention.ts";
import type { SnippetExtractorStreamOptions } from "../snippet_extractor.ts";
import type { Emit, Stage } from "../stage.ts";
import type { ToolEdit, ToolSnippet } from "../tool_edit.ts";

const STAGE = "snippet-extractor";

/** Longer info strings tell nothing. */
const LONGEST_INFO = 4_096;

/** Longer content cannot be the path of the next fence. */
const LONGEST_PATH_FENCE = 256;

/** So many pieces are joined to one. */
const MOST_PIECES = 1_024;

/** The tracker gets long texts in pieces: see {@linkcode TextStage}. */
const LONGEST_PIECE = 32_768;

/** Longer lines are no tags. */
const LONGEST_TAG_LINE = 256;

/** A line that opens a block between tags: the tag, its attributes, a language behind it. */
const TAG_LINE =
  /^<(source|code|pre|codeblock|sourcecode)((?:\s[^<>]*)?)>[ \t]*([\w+#.-]*)[ \t]*$/;

/** More parts than these behind held text force its release. */
const MOST_WAITING = 1_024;

/** An open fence. */
interface OpenSnippet {
  fence: Fence;
  lineBefore?: string;
  contentBefore?: string;
  /** The opening line so far, from the marker on; whole once `opened`. */
  opening: string;
  opened: boolean;
  /** The content: what is joined already, then the newest pieces. */
  joined: string[];
  pieces: string[];
  length: number;
  /** Whether content is missing in `pieces`. */
  cut: boolean;
  /** Whether the last content ended in a CR, so that an LF next is no line of its own. */
  afterCarriageReturn: boolean;
  /** Whether the fence may lie in a block quote or list item. */
  inContainer: boolean;
  /** Whether the line at hand is nothing but its containers' prefix so far. */
  atPrefix?: boolean;
  /** The tag of a block whose fences are tags. */
  tag?: string;
}

interface State {
  offset: number;
  /** Whether fences are found here; otherwise upstream marks tell. */
  tracking: boolean;
  open: OpenSnippet | null;
  /** Content of the last fence, if short; it has to be followed by white space only. */
  contentBefore: string | null;
  lastLines: LastLinesSnapshot;
  lines: unknown;
  held: readonly Part[];
  /** The line so far, when it may be a tag that opens or closes a block. */
  tagLine: string | null;
  /** Whether the next code unit begins a line; only kept with `tagBlocks`. */
  atLineStart: boolean;
  tags: number;
}

/*
 *              fence opens                    opening line ends
 *   (prose) ------------------> (opening) ----------------------> (content)
 *      ^                            |                                 |
 *      |        fence ends          |           fence ends            |
 *      +----------------------------+---------------------------------+
 *                        a snippet comes out
 *
 * The text flows past all this. Only at a line start inside a fence that may lie
 * in a container a few blanks are held: they may be behind the fence's end.
 */
export class SnippetExtractor implements Stage<string | Part, Part> {
  readonly #conventions: readonly SnippetConvention[];
  readonly #toolEdits: ReadonlyMap<string, ToolEdit>;
  readonly #live: boolean;
  readonly #tagBlocks: boolean;
  readonly #trackFences: boolean | undefined;
  readonly #maxContentLength: number;
  /** Whether text waits that may be an opening line: where the line ends is known late. */
  readonly #holdsOpeners: boolean;

  #offset: number;
  #tracking: boolean;
  #open: OpenSnippet | null;
  #contentBefore: string | null;
  readonly #lastLines: LastLines;
  readonly #lines: MarkdownLines;
  readonly #held: HeldText;
  #tagLine: string | null;
  #atLineStart: boolean;
  #tags: number;

  /** The text that is worked on, and how much of it is out. */
  #chunk = "";
  #chunkStart = 0;
  #given = 0;
  #code: CodeKind | undefined;
  /** Offset of the next text that the tracker tells of. */
  #told: number;
  #deltas: string[] = [];
  #emit: Emit<Part> = () => {};

  constructor(options: SnippetExtractorStreamOptions) {
    const {
      guess = false,
      conventions = [],
      toolEdits = [],
      live = false,
      tagBlocks = false,
      trackFences,
      mode = "tolerant",
      maxContentLength = 16_777_216,
      maxLineLength = 1_024,
    } = options;
    checkLimit("maxContentLength", maxContentLength);
    checkLimit("maxLineLength", maxLineLength);
    this.#conventions = conventionList(guess, conventions);
    this.#toolEdits = toolEditTable(toolEdits);
    this.#live = live;
    this.#tagBlocks = tagBlocks;
    this.#trackFences = trackFences;
    this.#maxContentLength = maxContentLength;
    this.#holdsOpeners = live && mode === "loose";
    const state = openSnapshot<State>(STAGE, options.snapshot);
    this.#offset = state?.offset ?? 0;
    this.#chunkStart = this.#offset;
    this.#tracking = state?.tracking ?? trackFences !== false;
    this.#open = state?.open ?? null;
    this.#contentBefore = state?.contentBefore ?? null;
    this.#lastLines = new LastLines(maxLineLength, state?.lastLines);
    this.#held = new HeldText(state?.held);
    this.#lines = new MarkdownLines({ mode }, {
      text: (text, kind) => this.#text(text, kind),
      fenceStart: (fence) => this.#fenceStart(fence),
      fenceEnd: (fence, closed, end) => this.#fenceEnd(fence, closed, end),
      limit: (message, start, end) => {
        this.#giveUpTo(end);
        this.#emit({ type: "warning", code: "limit", message, start, end });
      },
    }, state?.lines);
    this.#tagLine = state?.tagLine ?? null;
    this.#atLineStart = state?.atLineStart ?? true;
    this.#tags = state?.tags ?? 0;
    this.#told = this.#offset - this.#lines.pending -
      (this.#tagLine?.length ?? 0);
  }

  push(input: string | Part, emit: Emit<Part>): void {
    this.#emit = emit;
    if (
      !this.#tracking && typeof input !== "string" && input.type === "text" &&
      input.start === this.#offset && this.#held.length === 0 && !this.#live
    ) {
      // Most text by far: nothing waits, and an upstream tracker says what it is.
      const { text, start, code } = input;
      if (text === "") return;
      this.#told = start;
      this.#offset = this.#chunkStart = start + text.length;
      this.#text(
        text,
        code === "fence" || code === "marker" ? code : "prose",
      );
      emit(input);
      return;
    }
    if (typeof input === "string") {
      this.#take(input, this.#offset, undefined, undefined);
      return;
    }
    switch (input.type) {
      case "text":
        this.#take(
          input.text,
          input.start ?? this.#offset,
          input.code,
          input,
        );
        break;
      case "fence-start":
        this.#trustMarks();
        this.#release();
        emit(input);
        if (!this.#tracking) this.#fenceStart(input.fence);
        break;
      case "fence-end":
        this.#release();
        emit(input);
        if (!this.#tracking && this.#open !== null) {
          this.#fenceEnd(input.fence, input.closed, input.end);
        }
        break;
      case "tool-call":
        this.#release();
        emit(input);
        this.#toolCall(input);
        break;
      case "finish":
        // Nothing of this text comes behind it.
        this.end(emit);
        emit(input);
        break;
      default:
        if (!isAside(input)) {
          this.#release();
          emit(input);
        } else if (this.#held.length === 0) emit(input);
        else {
          this.#held.wait(input);
          if (this.#held.waiting > MOST_WAITING) this.#held.give(emit);
        }
    }
  }

  end(emit: Emit<Part>): void {
    this.#emit = emit;
    if (this.#tagLine !== null) this.#endTagLine("");
    if (this.#tracking) this.#lines.end();
    if (this.#open !== null) {
      this.#fenceEnd(this.#open.fence, false, this.#offset);
    }
    this.#held.give(emit);
    // What may come next is another text; no tag's line went through the lines.
    this.#moveTo(this.#offset);
    this.#atLineStart = true;
    this.#lastLines.reset("");
  }

  breakOff(emit: Emit<Part>): void {
    this.end(emit);
  }

  snapshot(): unknown {
    const state: State = {
      offset: this.#offset,
      tracking: this.#tracking,
      open: this.#open,
      contentBefore: this.#contentBefore,
      lastLines: this.#lastLines.snapshot(),
      lines: this.#lines.snapshot(),
      held: this.#held.snapshot(),
      tagLine: this.#tagLine,
      atLineStart: this.#atLineStart,
      tags: this.#tags,
    };
    return makeSnapshot(STAGE, state);
  }

  /** The next text. `whole` is the part it came in, to be given out again as it is. */
  #take(
    text: string,
    start: number,
    code: CodeKind | undefined,
    whole: TextPart | undefined,
  ): void {
    if (text === "") return;
    if (code !== undefined) this.#trustMarks();
    if (start !== this.#offset) {
      if (this.#tagLine !== null) this.#noTag("");
      this.#release();
      this.#moveTo(start);
    }
    this.#offset = start + text.length;
    this.#chunk = text;
    this.#chunkStart = start;
    this.#code = code;
    if (!this.#tracking) {
      this.#told = start;
      this.#text(
        text,
        code === "fence" || code === "marker" ? code : "prose",
      );
    } else if (this.#tagBlocks) this.#readTags(text);
    else if (text.length <= LONGEST_PIECE) this.#lines.advance(text);
    else {
      for (let from = 0; from < text.length; from += LONGEST_PIECE) {
        this.#lines.advance(text.slice(from, from + LONGEST_PIECE));
      }
    }
    this.#giveChunk(whole);
  }

  /** Gives out what is left of the chunk, but for blanks that may be behind a fence. */
  #giveChunk(whole: TextPart | undefined): void {
    const { length } = this.#chunk;
    const open = this.#open;
    const holds = this.#tracking &&
      (open === null
        ? this.#holdsOpeners
        : open.inContainer && open.tag === undefined);
    const keep = holds ? this.#lines.pending : 0;
    if (keep === 0 && this.#given === 0 && this.#held.length === 0) {
      this.#emit(
        whole ?? textPart(this.#chunk, this.#chunkStart, this.#code),
      );
    } else {
      this.#giveUpTo(this.#chunkStart + length - keep);
      this.#held.add(
        this.#chunk.slice(this.#given),
        this.#chunkStart + this.#given,
        this.#code,
      );
    }
    this.#given = 0;
    this.#chunk = "";
    this.#chunkStart = this.#offset;
    this.#giveDeltas();
  }

  /** Gives out the text before an offset. */
  #giveUpTo(end: number): void {
    const held = this.#held.length;
    if (held > 0) {
      const count = Math.min(held, end - this.#chunkStart + held);
      if (count > 0) this.#held.give(this.#emit, count);
    }
    const to = Math.min(end - this.#chunkStart, this.#chunk.length);
    if (to <= this.#given) return;
    const start = this.#chunkStart + this.#given;
    const text = this.#chunk.slice(this.#given, to);
    this.#given = to;
    this.#emit(textPart(text, start, this.#code));
  }

  #giveDeltas(): void {
    if (this.#deltas.length === 0) return;
    const text = this.#deltas.join("");
    this.#deltas = [];
    this.#emit({ type: "snippet-delta", id: this.#open!.fence.id, text });
  }

  /** A part from elsewhere comes: what waits is decided as if nothing followed. */
  #release(): void {
    if (this.#tracking) this.#lines.release();
    this.#held.give(this.#emit);
    this.#giveDeltas();
  }

  /** An upstream tracker made a mark: from here on its marks tell where fences are. */
  #trustMarks(): void {
    if (!this.#tracking || this.#trackFences !== undefined) return;
    this.#tracking = false;
    // What was told of has to end, although it was no fence to the tracker.
    if (this.#live && this.#open?.opened) {
      this.#fenceEnd(this.#open.fence, false, this.#offset);
    }
    this.#open = null;
    this.#deltas = [];
    this.#held.give(this.#emit);
  }

  /** The next text for the tracker begins at an offset. */
  #moveTo(offset: number): void {
    this.#lines.seek(offset);
    this.#told = offset;
  }

  /** Reads text line by line: what is no block between tags goes to the tracker. */
  #readTags(text: string): void {
    for (let from = 0; from < text.length;) {
      const ends = text.slice(from).search(/[\r\n]/);
      const end = ends < 0 ? text.length : from + ends;
      if (
        this.#atLineStart && this.#tagLine === null &&
        (this.#open === null
          ? text[from] === "<"
          : this.#open.tag !== undefined)
      ) this.#tagLine = "";
      const rest = text.slice(from, end);
      if (this.#tagLine !== null) {
        this.#tagLine += rest;
        if (ends >= 0) this.#endTagLine(text[end]!);
        else if (!this.#mayBeTag(this.#tagLine)) this.#noTag("");
      } else this.#passTag(text.slice(from, end + 1));
      this.#atLineStart = ends >= 0;
      from = end + 1;
    }
  }

  #mayBeTag(line: string): boolean {
    const tag = this.#open?.tag;
    return line.length < LONGEST_TAG_LINE &&
      (tag === undefined
        // A run of ticks must not wait for the line's end.
        ? !line.includes("\t") && !line.includes("`")
        : `</${tag}>`.startsWith(line.trim().slice(0, tag.length + 3)));
  }

  /** The line that may be a tag is complete; `lineEnd` follows it. */
  #endTagLine(lineEnd: string): void {
    const line = this.#tagLine!;
    const open = this.#open;
    const start = this.#told;
    if (open?.tag !== undefined) {
      if (!this.#mayBeTag(line) || line.trim() !== `</${open.tag}>`) {
        return this.#noTag(lineEnd);
      }
      this.#tagLine = null;
      this.#fenceEnd(open.fence, true, start + line.length);
      this.#moveTo(start + line.length);
      if (lineEnd !== "") this.#lines.advance(lineEnd);
      return;
    }
    const match = this.#mayBeTag(line) ? TAG_LINE.exec(line) : null;
    if (match === null) return this.#noTag(lineEnd);
    const [, tag = "", attributes = "", word = ""] = match;
    const language = word || /\slang(?:uage)?="([^"]+)"/.exec(attributes)?.[1];
    const meta = attributes.trim();
    this.#tagLine = null;
    this.#fenceStart({
      id: `tag-${++this.#tags}`,
      info: [language ?? "", meta].join(" ").trim(),
      ...(language === undefined ? {} : { language }),
      ...(meta === "" ? {} : { meta }),
      marker: `<${tag}>`,
      start,
    });
    this.#open!.tag = tag;
    this.#told = start + line.length + lineEnd.length;
    this.#opened(this.#open!, start + line.length);
    this.#open!.afterCarriageReturn = lineEnd === "\r";
  }

  /** The line that might have been a tag is none. */
  #noTag(lineEnd: string): void {
    const line = this.#tagLine! + lineEnd;
    this.#tagLine = null;
    this.#passTag(line);
  }

  /** Text that holds no tag: content of the block between tags, or the tracker's. */
  #passTag(text: string): void {
    if (text === "") return;
    if (this.#open?.tag === undefined) this.#lines.advance(text);
    else {
      this.#told += text.length;
      this.#content(this.#open, text);
    }
  }

  #text(text: string, kind: LineKind): void {
    const start = this.#told;
    this.#told += text.length;
    const open = this.#open;
    if (kind === "prose") this.#lastLines.add(text);
    else if (open === null) return;
    else if (kind === "fence") {
      if (!open.opened) this.#opened(open, start);
      this.#content(open, text);
    } else if (!open.opened) {
      const from = Math.max(0, open.fence.start - start);
      const end = text.slice(from).search(/[\r\n]/);
      const to = end < 0 ? text.length : from + end;
      if (open.opening.length < LONGEST_INFO) {
        open.opening += text.slice(from, to);
      }
      if (end >= 0) {
        this.#opened(open, start + to);
        open.afterCarriageReturn = text.endsWith("\r");
        const next = to + (text.startsWith("\r\n", to) ? 2 : 1);
        if (next < text.length) open.atPrefix = true;
      }
    } else {
      // The second half of the opening line's end, or a container's prefix.
      const isHalf = open.afterCarriageReturn && text === "\n";
      if (!isHalf && PREFIX.test(text)) open.atPrefix = true;
      open.afterCarriageReturn = false;
    }
  }

  #fenceStart(fence: Fence): void {
    const above = this.#lastLines.text;
    const lineBefore = this.#lastLines.lineBefore();
    const follows = this.#contentBefore !== null &&
      above.startsWith(CLOSING_LINE) &&
      above.slice(CLOSING_LINE.length).trim() === "";
    const open: OpenSnippet = {
      fence,
      opening: "",
      opened: false,
      joined: [],
      pieces: [],
      length: 0,
      cut: false,
      afterCarriageReturn: false,
      inContainer: fence.start !== this.#told ||
        !(above === "" || above.endsWith("\n") || above.endsWith("\r")),
    };
    if (lineBefore !== undefined) open.lineBefore = lineBefore;
    if (follows) open.contentBefore = this.#contentBefore!;
    this.#open = open;
    this.#contentBefore = null;
  }

  /** The opening line is complete; it ends at `end`. */
  #opened(open: OpenSnippet, end: number): void {
    open.opened = true;
    if (!this.#live) return;
    this.#giveUpTo(end);
    const { fence } = open;
    const { start, info, meta } = fence;
    const part: SnippetStartPart = {
      type: "snippet-start",
      id: fence.id,
      start,
      info,
    };
    if (meta !== undefined) part.meta = meta;
    this.#place(part, open, undefined);
    this.#emit(part);
  }

  #content(open: OpenSnippet, text: string): void {
    let piece = text;
    if (open.afterCarriageReturn && piece.startsWith("\n")) {
      piece = piece.slice(1);
    }
    open.afterCarriageReturn = text.endsWith("\r");
    if (piece.includes("\r")) piece = piece.replace(/\r\n?/g, "\n");
    delete open.atPrefix;
    if (open.cut) return;
    const room = this.#maxContentLength - open.length;
    if (piece.length > room) {
      open.cut = true;
      piece = wellEnded(piece.slice(0, room));
    }
    if (piece === "") return;
    open.length += piece.length;
    open.pieces.push(piece);
    if (open.pieces.length >= MOST_PIECES) {
      open.joined.push(open.pieces.join(""));
      open.pieces = [];
    }
    if (this.#live) this.#deltas.push(piece);
  }

  /**
   * Content is lines, as in CommonMark: the last one of a text that is cut has an
   * end too, also when nothing came of it but what its containers take.
   */
  #endLine(open: OpenSnippet): void {
    const last = open.pieces.at(-1) ?? open.joined.at(-1);
    const room = this.#maxContentLength - open.length;
    if (
      room > 0 &&
      (open.atPrefix === true || last !== undefined && !last.endsWith("\n"))
    ) this.#content(open, "\n");
  }

  #fenceEnd(fence: Fence, closed: boolean, end: number): void {
    const open = this.#open!;
    // Without its opening line it began in what was cut out of the text.
    const isHeadless = open.tag === undefined && open.opening === "";
    if (isHeadless && !open.opened) {
      this.#open = null;
      return;
    }
    if (!open.opened) this.#opened(open, end);
    this.#giveUpTo(end);
    if (!closed) this.#endLine(open);
    this.#giveDeltas();
    const joined = open.joined.join("") + open.pieces.join("");
    const content = open.cut ? wellEnded(joined) : joined;
    this.#open = null;
    if (open.cut) {
      this.#emit({
        type: "warning",
        code: "limit",
        message:
          `The snippet at offset "${fence.start}" is longer than "${this.#maxContentLength}" code units: its content is cut there`,
        start: fence.start,
        end,
      });
    }
    const { start, info, meta } = fence;
    const part: SnippetPart = {
      type: "snippet",
      content,
      closed: closed && !open.cut && !isHeadless,
      start,
      end,
      info,
    };
    if (meta !== undefined) part.meta = meta;
    if (this.#live) part.id = fence.id;
    this.#place(part, open, content);
    this.#emit(part);
    this.#lastLines.reset(closed ? CLOSING_LINE : `${CLOSING_LINE}\n`);
    this.#contentBefore = content.length <= LONGEST_PATH_FENCE ? content : null;
  }

  /** Asks the conventions; `content` is absent while the snippet is open. */
  #place(
    part: SnippetPart | SnippetStartPart,
    open: OpenSnippet,
    content: string | undefined,
  ): void {
    const { fence, lineBefore, contentBefore } = open;
    const context: {
      -readonly [Key in keyof SnippetContext]: SnippetContext[Key];
    } = {
      info: infoOf(open),
    };
    if (lineBefore !== undefined) context.lineBefore = lineBefore;
    if (content !== undefined) context.content = content;
    if (contentBefore !== undefined) context.contentBefore = contentBefore;
    let language: string | null | undefined;
    // Most fences say nothing but a language.
    const isPlain = /^[\w+#-]*$/.test(context.info);
    for (const convention of this.#conventions) {
      if (isPlain && infoConventions.has(convention)) continue;
      let place: SnippetPlace | undefined;
      try {
        place = convention.find(context);
      } catch (error) {
        this.#fault(`The snippet convention "${convention.name}"`, error);
      }
      if (place === undefined || place === null) continue;
      if (language === undefined) language = place.language;
      if (place.filePath) {
        if (part.filePath !== undefined) continue;
        part.filePath = place.filePath;
        part.pathSource = convention.source ?? convention.name;
      }
      if (part.lineRange === undefined && place.lineRange !== undefined) {
        part.lineRange = [...place.lineRange];
      }
    }
    addLanguage(part, language === undefined ? fence.language : language);
  }

  /** What a call writes comes right behind it. */
  #toolCall(part: PartOf<"tool-call">): void {
    const row = this.#toolEdits.get(part.toolName);
    if (row === undefined) return;
    const { start, end } = part.origin === "salvaged"
      ? part
      : { start: this.#offset, end: this.#offset };
    let snippets: readonly ToolSnippet[];
    try {
      snippets = toolSnippets(row, part.input);
    } catch (error) {
      this.#fault(`The row of tool "${row.tool}"`, error);
      return;
    }
    for (const snippet of snippets) {
      const { language, filePath, lineRange, content, replaces } = snippet;
      const written: SnippetPart = {
        type: "snippet",
        content,
        closed: snippet.closed ?? true,
        start,
        end,
        toolCallId: part.toolCallId,
      };
      if (filePath !== undefined) {
        written.filePath = filePath;
        written.pathSource = "tool-input";
      }
      if (lineRange !== undefined) written.lineRange = [...lineRange];
      if (replaces !== undefined) written.replaces = replaces;
      addLanguage(written, language);
      this.#emit(written);
    }
  }

  #fault(what: string, error: unknown): void {
    this.#emit({
      type: "warning",
      code: "fault",
      message: `${what} failed and was passed over: ${String(error)}`,
    });
  }
}

/** Stands for a fence's closing line among the last lines: no path, not blank. */
const CLOSING_LINE = "```";

function addLanguage(
  part: SnippetPart | SnippetStartPart,
  language: string | null | undefined,
): void {
  if (language) part.language = language;
  const id = languageId(language ?? undefined, part.filePath);
  if (id !== undefined) part.languageId = id;
}

/** The info string for the conventions: as written where a back-slash is in it. */
function infoOf({ fence, opening }: OpenSnippet): string {
  if (fence.info.length > LONGEST_INFO) return "";
  if (opening.length >= LONGEST_INFO || !opening.includes("\\")) {
    return fence.info;
  }
  return opening.slice(fence.marker.length).trim();
}

/** What containers, or the indentation of a fence, take from a line. */
const PREFIX = /^[>\s]+$/;

/** A text that was cut, without half a surrogate pair at its end. */
function wellEnded(text: string): string {
  const half = (text.charCodeAt(text.length - 1) & 0xfc00) === 0xd800;
  return half ? text.slice(0, -1) : text;
}

function checkLimit(name: string, value: number): void {
  if (!(Number.isSafeInteger(value) && value > 0)) {
    throw new RangeError(
      `Cannot use ${name} "${value}": it must be a whole number above 0`,
    );
  }
}

function conventionList(
  guess: boolean,
  own: readonly SnippetConvention[],
): readonly SnippetConvention[] {
  if (!Array.isArray(own)) {
    throw new TypeError("Cannot use conventions: that is no list");
  }
  for (const [index, convention] of own.entries()) {
    if (
      typeof convention?.name !== "string" ||
      typeof convention.find !== "function"
    ) {
      throw new TypeError(
        `Cannot use conventions: number ${index} is no object with name and find`,
      );
    }
  }
  if (own.length === 0 && !guess) return sureConventions;
  const replaced = new Set(own.map(({ name }) => name));
  const builtIn = guess
    ? [...sureConventions, ...guessedConventions]
    : sureConventions;
  return [...own, ...builtIn.filter(({ name }) => !replaced.has(name))];
}

const BUILT_IN: ReadonlyMap<string, ToolEdit> = new Map(
  builtInToolEdits.map((row) => [row.tool, row]),
);

function toolEditTable(
  own: readonly ToolEdit[] | false,
): ReadonlyMap<string, ToolEdit> {
  if (own === false) return new Map();
  if (!Array.isArray(own)) {
    throw new TypeError("Cannot use toolEdits: that is no list, and not false");
  }
  if (own.length === 0) return BUILT_IN;
  const table = new Map(BUILT_IN);
  for (const [index, row] of own.entries()) {
    if (typeof row?.tool !== "string" || typeof row.snippets !== "function") {
      throw new TypeError(
        `Cannot use toolEdits: number ${index} is no object with tool and snippets`,
      );
    }
    table.set(row.tool, row);
  }
  return table;
}
