import type { DirectivePartial } from "../directive_types.ts";
import type {
  CodeKind,
  DirectiveDeltaPart,
  DirectivePart,
  DirectiveStartPart,
  Part,
  TextPart,
  WarningCode,
} from "../part.ts";
import type { Emit } from "../stage.ts";
import { CodeSpans, type CodeSpansSnapshot } from "./code_spans.ts";
import { decodeEntities, halfEntity } from "./decode_entities.ts";
import {
  closeLevel,
  type ContainerNames,
  type ContainerState,
  endContainer,
  readContainerOpening,
  startContainer,
  stepContainer,
} from "./directive_container.ts";
import type { DirectiveSet, KnownDirective } from "./directive_set.ts";
import {
  isBlank,
  readTagAttributes,
  startTag,
  stepTag,
  type TagNames,
  type TagState,
} from "./directive_tag.ts";
import { readDirectiveValue } from "./directive_value.ts";
import { HeldText, type HeldTextSnapshot, textPart } from "./held_text.ts";
import {
  type FenceMode,
  type LineKind,
  MarkdownLines,
} from "./markdown_lines.ts";
import { setOwn } from "./own_property.ts";
import { makeSnapshot, openSnapshot } from "./snapshot.ts";
import { TextStage } from "./text_stage.ts";

/** The options of the stream, checked and with all defaults filled in. */
export interface DirectiveStageOptions {
  readonly set: DirectiveSet;
  readonly containers: boolean;
  readonly codeAware: boolean;
  readonly mode: FenceMode;
  /** `undefined`: own fences until the first mark comes. */
  readonly trackFences: boolean | undefined;
  readonly decodeEntities: boolean;
  readonly caseInsensitive: boolean;
  readonly startInside: string | undefined;
  readonly onlyAtStart: boolean;
  readonly unclosedText: boolean;
  readonly partials: boolean;
  readonly maxTagLength: number;
  readonly maxHeldSpan: number;
  readonly maxDepth: number;
  readonly maxContentLength: number;
}

/** Names the state in snapshots. */
const STAGE = "directive-extractor";

/** So many pieces of content are joined to one. */
const PIECES = 512;

/** What closes a fence may have to be classified anew: so much of it at once. */
const SLICE = 1_024;

/** What a stretch of text is: prose, or one of the kinds of code. */
type Kind = LineKind | "inline";

/** A tag or container line that may be one; its text is not decided. */
interface Candidate {
  /** The text that came in earlier pieces. */
  pieces: string[];
  /** Its length. */
  length: number;
  kind: Kind;
  /** A tag, or … */
  tag: TagState | null;
  /** … a container line. */
  line: ContainerState | null;
  /** Where it begins for the code spans, when a tick run before it is open; −1 otherwise. */
  at: number;
}

/** A complete tag or container line. */
interface Found {
  text: string;
  name: string;
  closer: boolean;
  /** A self-closing tag. */
  empty: boolean;
  /** A container's colons. */
  colons: number;
}

/** A complete tag behind an open tick run, and what came after it. */
interface Waiting {
  found: Found;
  /** Where it begins for the code spans. */
  at: number;
  /** Whether the next line end decides, as for the closer of reasoning. */
  line: boolean;
  pieces: string[];
  /** Length of the tag and the pieces. */
  length: number;
}

/** A field of the open directive that is itself open. */
interface OpenField {
  name: string;
  /** Where in the content its own begins. */
  from: number;
  /** Openers of its name without closer, its own included. */
  depth: number;
  /** Openers of the directive's name without closer inside it. */
  own: number;
}

/** The directive that is open. */
interface OpenDirective {
  name: string;
  id: string;
  attributes: Record<string, string>;
  label: string | null;
  start: number;
  opener: string;
  /** The content so far, in long and short pieces. */
  blocks: string[];
  pieces: string[];
  /** Length of the content so far. */
  length: number;
  /** Openers of its name without closer, its own included. */
  depth: number;
  /** Colons of the open containers, its own first. */
  levels: number[];
  field: OpenField | null;
  /** Names and places of the fields that are complete. */
  fields: [name: string, from: number, to: number][];
  /** What may be the beginning of a character reference, not yet in a delta. */
  half: string;
  partial: DirectivePartial | null;
  /** Warnings that wait for its end, so as not to overtake held text. */
  warnings: { code: WarningCode; message: string }[];
  /** Whether everything is held until the closer. */
  hold: boolean;
}

/** Everything that changes, as plain data. */
interface State {
  offset: number;
  /** Offset of the first code unit that is not decided. */
  decided: number;
  /** Offset behind what the own lines got. */
  tracked: number;
  candidate: Candidate | null;
  waiting: Waiting | null;
  open: OpenDirective | null;
  /** How many of the next code units the code spans have read already. */
  ahead: number;
  /** Whether the next character is behind an odd number of back-slashes. */
  slashed: boolean;
  /** Whether the last text was code. */
  kind: Kind;
  /** Whether only white space came so far. */
  atStart: boolean;
  /** Whether the directive of `startInside` has begun. */
  begun: boolean;
  /** Whether a container line may begin here. */
  lineStart: boolean;
  /** Whether upstream's marks were seen and count. */
  marked: boolean;
  /** Whether a reasoning closer ended the fence that upstream's marks are about. */
  lost: boolean;
  /** Upstream's marks of text that the own lines still hold. */
  marks: Mark[];
}

/** What upstream says of a stretch of text. */
interface Mark {
  length: number;
  code: CodeKind | null;
  /** Whether that counts, and not what the own lines say. */
  counts: boolean;
}

interface Snapshot {
  state: State;
  held: HeldTextSnapshot;
  lines: unknown;
  spans: CodeSpansSnapshot;
}

/** What reading on in a candidate came to. */
type Verdict = "more" | "dead" | "long" | "done";

/** What is known of a place behind an open tick run. */
type Place = "open" | "code" | "prose";

/*
 *                 opener complete, no tick run open
 *   +---------+ -------------------------------------> +--------+
 *   | outside |                                        | inside |--+ nested opener,
 *   +---------+ <------------------------------------- +--------+<-+ field
 *      ^   |      closer complete, no tick run open      ^   |
 *      |   |                                             |   |
 *      |   | "<" or ":" that may begin a tag             |   |
 *      |   v                                             |   v
 *   +-----------+  impossible character, too long      (the same)
 *   | candidate | ----------------------------------> read again from behind the first one
 *   +-----------+
 *          | complete, but a tick run is open before it
 *          v
 *   +---------+  that run closes: it was code, and so was all up to here
 *   | waiting | -----------------------------------------------------> as before
 *   +---------+ paragraph (for the closer of reasoning: line) ends, limit reached
 *          +---> as complete; what came after it is read again
 *
 * The text itself waits in `held`, or is what is left of the chunk at hand
 * (`#fresh`). Reading decides it in order: `#flow` says that the next code units
 * are text or content, `#cut` takes markup out.
 */
export class DirectiveStage extends TextStage {
  protected override readonly held: HeldText;
  readonly #options: DirectiveStageOptions;
  #lines: MarkdownLines | undefined;
  readonly #spans: CodeSpans;
  readonly #state: State;
  #emit: Emit<Part> = () => {};
  /** The chunk at hand, of which `#used` code units are decided and out. */
  #fresh: TextPart | undefined;
  #used = 0;
  /** Code units that are decided to be text or content, but not out yet. */
  #flowing = 0;
  /** What is to be read next, last one first. */
  readonly #work: { text: string; kind: Kind }[] = [];
  /** What has to be classified anew, since the fence around it was ended. */
  #rest: string[] | undefined;
  /** The mark of the chunk at hand, as far as its text is not read yet. */
  #mark: Mark = { length: 0, code: null, counts: false };
  #verdict: Verdict = "more";
  /** End of the code span that `#place` found. */
  #spanEnd = 0;
  // What follows from the state.
  #known: KnownDirective | undefined;
  #tags: TagNames = NO_TAGS;
  #tagsInCode: TagNames = NO_TAGS;
  #containers: ContainerNames = NO_CONTAINERS;
  #containersInCode: ContainerNames = NO_CONTAINERS;

  constructor(options: DirectiveStageOptions, snapshot: unknown) {
    super();
    this.#options = options;
    const given = openSnapshot<Snapshot>(STAGE, snapshot);
    this.held = new HeldText(given?.held);
    this.#spans = new CodeSpans(options.maxHeldSpan, given?.spans);
    this.#state = given?.state ?? {
      offset: 0,
      decided: 0,
      tracked: 0,
      candidate: null,
      waiting: null,
      open: null,
      ahead: 0,
      slashed: false,
      kind: "prose",
      atStart: options.onlyAtStart,
      begun: options.startInside === undefined,
      lineStart: true,
      marked: options.trackFences === false,
      lost: false,
      marks: [],
    };
    this.offset = this.#state.offset;
    if (options.codeAware) this.#lines = this.#newLines(given?.lines);
    const { open } = this.#state;
    if (open !== null && options.set.get(open.name) === undefined) {
      throw new TypeError(
        `Cannot resume: the snapshot is inside directive "${open.name}", which is not among the directives`,
      );
    }
    this.#look();
  }

  #newLines(snapshot?: unknown): MarkdownLines {
    return new MarkdownLines({ mode: this.#options.mode }, {
      text: (text, kind) => this.#classified(text, kind),
      fenceStart: () => {},
      fenceEnd: () => {},
      paragraphEnd: () => {
        if (this.#rest === undefined) this.#settle(false);
      },
      limit: (message, start, end) => {
        if (this.#rest === undefined && !this.#state.marked) {
          this.#warn("limit", message, start, end);
        }
      },
    }, snapshot);
  }

  override end(emit: Emit<Part>): void {
    this.#emit = emit;
    if (!this.#state.begun) this.#beginInside(this.offset);
    this.#lines?.end();
    this.#readRest();
    this.#settle(true);
    const { open } = this.#state;
    if (open !== null) {
      if (open.hold) this.#disown();
      else this.#close(null, this.#state.kind);
    }
    this.#flush();
  }

  override snapshot(): unknown {
    const state: Snapshot = {
      state: { ...this.#state, offset: this.offset },
      held: this.held.snapshot(),
      lines: this.#lines?.snapshot(),
      spans: this.#spans.snapshot(),
    };
    return makeSnapshot(STAGE, state);
  }

  protected override release(emit: Emit<Part>): void {
    this.#emit = emit;
    this.#lines?.release();
    this.#readRest();
    this.#settle(true);
    if (this.#state.open?.hold) this.#disown();
    this.#flush();
  }

  /** Fences of an upstream tracker pass in order. */
  protected override part(part: Part, emit: Emit<Part>): void {
    if (part.type !== "fence-start" && part.type !== "fence-end") {
      super.part(part, emit);
      return;
    }
    const state = this.#state;
    if (this.#options.trackFences === false) state.lost = false;
    else if (this.#options.trackFences === undefined && !state.lost) {
      state.marked = true;
    }
    if (this.held.length === 0) emit(part);
    else this.held.wait(part);
  }

  protected override text(
    text: string,
    start: number,
    code: CodeKind | undefined,
    whole: TextPart | undefined,
    emit: Emit<Part>,
  ): void {
    const state = this.#state;
    this.#emit = emit;
    this.#fresh = whole ?? textPart(text, start, code);
    this.#used = 0;
    if (this.held.length === 0) state.decided = start;
    if (!state.begun) this.#beginInside(start);
    if (this.#lines === undefined) this.#feed(text, "prose");
    else this.#track(text, start, code);
    this.#flush();
    if (this.#used < text.length) {
      this.held.add(text.slice(this.#used), start + this.#used, code);
    }
    this.#fresh = undefined;
  }

  /** Sends the chunk at hand through the own lines; what they say of it is read at once. */
  #track(
    text: string,
    start: number,
    code: CodeKind | undefined,
  ): void {
    const state = this.#state;
    if (code !== undefined && !state.lost) {
      if (this.#options.trackFences === undefined) state.marked = true;
    }
    this.#mark = {
      length: text.length,
      code: state.lost ? null : code ?? null,
      counts: state.marked,
    };
    if (start !== state.tracked) this.#lines!.seek(start);
    state.tracked = start + text.length;
    const { set, containers } = this.#options;
    if (
      text.length <= SLICE || !set.breaks ||
      !text.includes(containers ? "::" : "</")
    ) this.#advance(text, state.tracked);
    else {
      // A closer may end the fence it stands in, and then all that is behind it
      // is classified anew: in small steps, or that is quadratic in the chunk.
      for (let from = 0; from < text.length; from += SLICE) {
        const to = Math.min(text.length, from + SLICE);
        this.#advance(text.slice(from, to), start + to);
      }
    }
    if (this.#mark.length > 0) state.marks.push(this.#mark);
  }

  /** Sends text through the own lines; `end` is the offset behind it. */
  #advance(text: string, end: number): void {
    let next = text;
    for (;;) {
      this.#lines!.advance(next);
      if (this.#rest === undefined) return;
      // What the lines hold comes after what they gave, and all of it came in `next`.
      const { pending } = this.#lines!;
      if (pending > 0) this.#rest.push(next.slice(-pending));
      next = this.#rest.join("");
      this.#restart(end - next.length);
    }
  }

  /** After a closer that came only when the lines were made to decide: the rest of its line is prose. */
  #readRest(): void {
    if (this.#rest === undefined) return;
    const rest = this.#rest.join("");
    this.#restart(this.#state.tracked);
    if (rest !== "") this.#feed(rest, "prose");
  }

  /** Forgets the lines: from this offset on there is prose, in the middle of one. */
  #restart(offset: number): void {
    this.#lines = this.#newLines();
    // The character is not there; `#rest` keeps what the lines say of it from being read.
    this.#lines.advance("x");
    this.#lines.seek(offset);
    this.#rest = undefined;
  }

  /** The next text, with what the own lines say of it. Upstream's marks go before that. */
  #classified(text: string, kind: LineKind): void {
    const { marks } = this.#state;
    for (let from = 0; from < text.length;) {
      if (this.#rest !== undefined) {
        this.#rest.push(text.slice(from));
        return;
      }
      const mark = marks[0] ?? this.#mark;
      const to = mark.length === 0
        ? text.length
        : Math.min(text.length, from + mark.length);
      mark.length -= Math.min(mark.length, to - from);
      if (mark.length === 0 && marks.length > 0) marks.shift();
      this.#feed(
        text.slice(from, to),
        mark.counts ? mark.code ?? "prose" : kind,
      );
      from = to;
    }
  }

  #feed(text: string, kind: Kind): void {
    const state = this.#state;
    if (kind !== state.kind) this.#turn(kind);
    if (this.#passes(text, kind)) this.#flow(text.length);
    else {
      this.#work.push({ text, kind });
      this.#read();
    }
  }

  /** Whether a text is all text or content, with nothing in it. */
  #passes(text: string, kind: Kind): boolean {
    const state = this.#state;
    const { open } = state;
    if (
      this.#options.containers || state.candidate !== null ||
      state.waiting !== null || state.ahead > 0
    ) return false;
    if (open === null) {
      if (state.atStart) return false;
      if (this.#options.onlyAtStart) return true;
    } else if (open.length + text.length > this.#options.maxContentLength) {
      return false;
    }
    if (kind !== "prose") return !this.#breaks || !text.includes("<");
    if (text.includes("<")) return false;
    if (!this.#hasSpans) return true;
    if (text.includes("`")) return false;
    if (this.#isBusy(text)) this.#spans.text(text);
    state.slashed = this.#isSlashed(text, text.length);
    return true;
  }

  /** Whether the code spans have to read a text that has no ticks. */
  #isBusy(text: string): boolean {
    return this.#state.slashed ||
      this.#spans.settled !== this.#spans.position ||
      text.charCodeAt(text.length - 1) === BACKSLASH;
  }

  /** Another kind of text begins: no candidate and no paragraph reaches into it. */
  #turn(kind: Kind): void {
    this.#settle(true, true);
    this.#state.kind = kind;
  }

  /**
   * The paragraph is over: open tick runs were literal. With `all`, a candidate
   * is over too; `cut` says that its line goes on all the same.
   */
  #settle(all: boolean, cut: boolean = false): void {
    const state = this.#state;
    for (;;) {
      const { candidate, waiting } = state;
      this.#spans.end();
      if (waiting !== null) this.#decide(waiting, "", 0);
      else if (candidate !== null && candidate.at >= 0) {
        if (this.#place(candidate.at) === "code") {
          this.#hide(candidate.at, candidate.pieces.join(""));
          state.candidate = null;
        } else candidate.at = -1;
      } else if (all && candidate !== null) this.#endCandidate(candidate, cut);
      else break;
      this.#read();
    }
    state.slashed = false;
  }

  #read(): void {
    const work = this.#work;
    for (let item = work.pop(); item !== undefined; item = work.pop()) {
      const { text, kind } = item;
      if (text === "") continue;
      if (this.#rest !== undefined) {
        this.#rest.push(text);
        continue;
      }
      const { open, candidate, waiting } = this.#state;
      let now = text;
      if (open !== null) {
        const undecided = (candidate?.length ?? 0) + (waiting?.length ?? 0);
        const room = this.#options.maxContentLength - open.length - undecided;
        if (room <= 0) {
          work.push(item);
          this.#overflow();
          continue;
        }
        if (room < text.length) {
          work.push({ text: text.slice(room), kind });
          now = text.slice(0, room);
        }
      }
      if (this.#options.containers) this.#readLines(now, kind);
      else if (waiting !== null) this.#watch(waiting, now);
      else this.#readTags(now, kind);
    }
  }

  /** The open directive has reached its limit and goes on no further. */
  #overflow(): void {
    const state = this.#state;
    if (state.waiting !== null) {
      this.#fireWaiting(state.waiting, "", 0);
      return;
    }
    if (state.candidate !== null) {
      this.#flow(state.candidate.length);
      state.candidate = null;
    }
    this.#forgetSpans();
    const { name, hold } = state.open!;
    const message =
      `Directive "${name}" is longer than ${this.#options.maxContentLength} code units: ${
        hold ? "it is text" : "it ends here, incomplete, and text follows"
      }; raise \`maxContentLength\` to take longer ones`;
    this.#warn("limit", message, state.open!.start, state.decided);
    if (hold) this.#disown();
    else this.#close(null, "prose");
  }

  /** The next text in the tag dialect. */
  #readTags(text: string, kind: Kind): void {
    const state = this.#state;
    const code = kind !== "prose";
    const length = text.length;
    if (state.open === null ? code : code && !this.#breaks) {
      state.atStart = false;
      this.#flow(length);
      return;
    }
    if (state.candidate !== null) {
      this.#goOn(state.candidate, text, kind);
      return;
    }
    const outside = state.open === null;
    let from = 0;
    if (outside && this.#options.onlyAtStart) {
      if (state.atStart) {
        while (from < length && isBlank(text.charCodeAt(from))) from++;
        this.#flow(from);
        if (from === length) return;
        state.atStart = text.charCodeAt(from) === LESS;
      }
      if (!state.atStart) {
        this.#flow(length - from);
        return;
      }
    }
    const tags = code ? this.#tagsInCode : this.#tags;
    const spans = !code && this.#hasSpans;
    const busy = spans &&
      (state.ahead > 0 || text.includes("`") || this.#isBusy(text));
    let fed = busy ? state.ahead : length;
    let less = find(text, "<", from);
    for (; less < length; less = find(text, "<", less + 1)) {
      if (
        mayBegin(tags, text.charCodeAt(less + 1)) &&
        !(spans && this.#isSlashed(text, less))
      ) {
        this.#flow(less - from);
        from = less;
        let at = -1;
        if (busy) {
          fed = this.#spansTo(text, fed, less + 1);
          at = this.#spans.position - (fed - less);
          if (!((this.#spans.open ?? at) < at)) at = -1;
        }
        const candidate = startCandidate(kind, startTag(), at);
        candidate.length = 1;
        const to = this.#stepTag(candidate, text, less + 1);
        const verdict = this.#verdict;
        if (at >= 0) {
          fed = this.#spansRunTo(text, fed, to, at);
          if (this.#settledAt(candidate, text, less)) return;
          if (candidate.at < 0) fed = less + 1;
        }
        if (verdict === "done") {
          this.#work.push({ text: text.slice(to), kind });
          this.#found(
            tagFound(candidate, text.slice(less, to)),
            kind,
            candidate.at,
          );
          return;
        }
        if (verdict === "more") {
          candidate.pieces.push(text.slice(less));
          candidate.length = length - less;
          state.candidate = candidate;
          state.slashed = false;
          state.ahead = 0;
          return;
        }
        this.#drop(to - less);
      }
      if (outside && this.#options.onlyAtStart) {
        state.atStart = false;
        break;
      }
    }
    this.#flow(length - from);
    if (busy) fed = this.#spansTo(text, fed, length);
    state.ahead = fed - length;
    state.slashed = spans && this.#isSlashed(text, length);
  }

  /** The next text for a tag that began in an earlier one. */
  #goOn(candidate: Candidate, text: string, kind: Kind): void {
    const state = this.#state;
    const to = this.#stepTag(candidate, text, 0);
    const verdict = this.#verdict;
    if (candidate.at >= 0) {
      const read = this.#spans.position - candidate.at - candidate.length;
      this.#spansRunTo(text, Math.max(0, read), to, candidate.at);
      if (this.#settledAt(candidate, text, 0)) {
        state.candidate = null;
        return;
      }
    }
    if (verdict === "more") {
      candidate.pieces.push(text);
      candidate.length += text.length;
      return;
    }
    state.candidate = null;
    const before = candidate.pieces.join("");
    if (verdict === "done") {
      this.#work.push({ text: text.slice(to), kind });
      this.#found(
        tagFound(candidate, before + text.slice(0, to)),
        kind,
        candidate.at,
      );
      return;
    }
    this.#drop(candidate.length + to);
    this.#flow(1);
    this.#work.push({ text, kind }, { text: before.slice(1), kind });
    state.ahead = candidate.at < 0
      ? 0
      : this.#spans.position - candidate.at - 1;
  }

  /**
   * Reads on in a candidate: `#verdict` says what came of it. Gives the index
   * behind a tag that is done, or of the code unit that decided otherwise.
   */
  #stepTag(candidate: Candidate, text: string, from: number): number {
    const tag = candidate.tag!;
    const tags = candidate.kind === "prose" ? this.#tags : this.#tagsInCode;
    const room = this.#options.maxTagLength - candidate.length;
    const end = Math.min(text.length, from + room);
    for (let index = from; index < end; index++) {
      const phase = stepTag(tag, text.charCodeAt(index), tags);
      if (phase === "done") {
        this.#verdict = "done";
        return index + 1;
      }
      if (phase === "dead") {
        this.#verdict = "dead";
        return index;
      }
    }
    this.#verdict = end === from + room ? "long" : "more";
    return end;
  }

  /** The code spans read up to an index, if they have not; gives the index up to which they have. */
  #spansTo(text: string, from: number, to: number): number {
    if (from >= to) return from;
    this.#spans.text(text.slice(from, to));
    return to;
  }

  /** As `#spansTo`, one tick run after the other until something is decided about position `at`. */
  #spansRunTo(text: string, from: number, to: number, at: number): number {
    let fed = from;
    while (fed < to) {
      let end = find(text, "`", fed);
      while (text.charCodeAt(end) === TICK) end++;
      // A run's length is known with the code unit behind it.
      fed = this.#spansTo(text, fed, Math.min(to, end + 1));
      if (this.#place(at) !== "open") break;
    }
    return fed;
  }

  /** What the last call to the code spans decided about a position. */
  #place(at: number): Place {
    for (const [start, end] of this.#spans.spans) {
      if (start <= at && at < end) {
        this.#spanEnd = end;
        return "code";
      }
    }
    return this.#spans.settled > at ? "prose" : "open";
  }

  /** Whether a candidate turned out to stand in a code span; `text` holds it from `less` on. */
  #settledAt(candidate: Candidate, text: string, less: number): boolean {
    const place = this.#place(candidate.at);
    if (place === "code") {
      this.#hide(candidate.at, candidate.pieces.join("") + text.slice(less));
      return true;
    }
    if (place === "prose") {
      // The run before it is literal. What the spans read of it is read again if it dies.
      candidate.at = -1;
      this.#forgetSpans();
    }
    return false;
  }

  /** The span that covers position `at` covers the first of this text; the rest is read again. */
  #hide(at: number, text: string): void {
    const length = this.#spanEnd - at;
    this.#flow(length);
    this.#forgetSpans();
    this.#work.push({ text: text.slice(length), kind: "prose" });
  }

  #forgetSpans(): void {
    this.#spans.reset(0);
    this.#state.ahead = 0;
    this.#state.slashed = false;
  }

  /** A candidate of this length was none. */
  #drop(length: number): void {
    this.#state.atStart = false;
    if (this.#verdict !== "long") return;
    const { decided } = this.#state;
    this.#warn(
      "too-long",
      `What begins like a directive's tag is longer than ${this.#options.maxTagLength} code units: it is text; raise \`maxTagLength\` to take longer ones`,
      decided,
      decided + length,
    );
  }

  /** Reads on behind a complete tag, until it is known whether it stands in a code span. */
  #watch(waiting: Waiting, text: string): void {
    const lineEnd = waiting.line ? findLineEnd(text, 0) : text.length;
    const read = this.#spans.position - waiting.at - waiting.length;
    this.#spansRunTo(text, Math.max(0, read), lineEnd, waiting.at);
    if (this.#place(waiting.at) !== "open") {
      this.#decide(waiting, text, text.length);
    } else if (lineEnd < text.length) this.#endLine(waiting, text, lineEnd);
    else {
      waiting.pieces.push(text);
      waiting.length += text.length;
    }
  }

  /** The spans have decided about a tag. The text goes on behind it up to `to`. */
  #decide(waiting: Waiting, text: string, to: number): void {
    if (this.#place(waiting.at) === "code") {
      this.#state.waiting = null;
      this.#hide(
        waiting.at,
        waiting.found.text + waiting.pieces.join("") + text.slice(0, to),
      );
      return;
    }
    if (this.#spans.expired.length > 0) {
      const { decided } = this.#state;
      this.#warn(
        "limit",
        `Directive tag "${waiting.found.name}" stands behind backticks that were not closed within ${this.#options.maxHeldSpan} code units: it counts; raise \`maxHeldSpan\` to wait longer`,
        decided,
        decided + waiting.found.text.length,
      );
    }
    this.#fireWaiting(waiting, text, to);
  }

  /** The line of a reasoning closer is over: only a span that ends on it hides the closer. */
  #endLine(waiting: Waiting, text: string, lineEnd: number): void {
    const spans = new CodeSpans(
      this.#options.maxHeldSpan,
      this.#spans.snapshot(),
    );
    spans.end();
    const span = spans.spans.find(([start, end]) =>
      start <= waiting.at && waiting.at < end
    );
    if (span === undefined) {
      this.#fireWaiting(waiting, text, text.length);
      return;
    }
    // An outer run is still open: the spans go on where they are.
    const state = this.#state;
    const length = span[1] - waiting.at;
    const all = waiting.found.text + waiting.pieces.join("") + text;
    state.waiting = null;
    state.ahead = waiting.length + lineEnd - length;
    this.#flow(length);
    this.#work.push({ text: all.slice(length), kind: "prose" });
  }

  /** The tag stands in no span: it counts, and what came after it is read again. */
  #fireWaiting(waiting: Waiting, text: string, to: number): void {
    this.#state.waiting = null;
    waiting.pieces.push(text.slice(0, to));
    this.#work.push({ text: waiting.pieces.join(""), kind: "prose" });
    this.#fire(waiting.found, "prose");
  }

  /** The next text in the container dialect. */
  #readLines(text: string, kind: Kind): void {
    const state = this.#state;
    const code = kind !== "prose";
    const length = text.length;
    if (state.open === null ? code : code && !this.#breaks) {
      state.atStart = false;
      this.#flow(length);
      state.lineStart = isLineEnd(text.charCodeAt(length - 1));
      return;
    }
    let from = 0;
    let index = 0;
    while (index < length) {
      const unit = text.charCodeAt(index);
      let { candidate } = state;
      if (candidate === null && state.lineStart && this.#mayOpenHere(unit)) {
        this.#flow(index - from);
        from = index;
        candidate = state.candidate = startCandidate(kind, null, -1);
      }
      if (candidate === null) {
        const to = findLineEnd(text, index);
        if (state.atStart && !isBlankText(text, index, to)) {
          state.atStart = false;
        }
        state.lineStart = to < length;
        index = to + 1;
        continue;
      }
      state.lineStart = false;
      const at = this.#stepLine(candidate, text, index, from);
      if (this.#verdict === "more") {
        candidate.pieces.push(text.slice(from));
        candidate.length += length - from;
        return;
      }
      state.candidate = null;
      if (this.#verdict === "done") {
        state.lineStart = true;
        this.#work.push({ text: text.slice(at), kind });
        this.#found(
          lineFound(
            candidate,
            candidate.pieces.join("") + text.slice(from, at),
          ),
          kind,
          -1,
        );
        return;
      }
      if (candidate.line!.colons > 0 || !isBlank(text.charCodeAt(at))) {
        this.#drop(candidate.length + at - from);
      }
      this.#flow(candidate.length);
      index = at;
    }
    this.#flow(length - from);
  }

  /** Whether a container line may begin with this code unit, at a line start. */
  #mayOpenHere(unit: number): boolean {
    const state = this.#state;
    return (unit === SPACE || unit === COLON) &&
      (state.open !== null || !this.#options.onlyAtStart || state.atStart);
  }

  /** As `#stepTag`, for a container line that began at `begin` in this text or before it. */
  #stepLine(
    candidate: Candidate,
    text: string,
    from: number,
    begin: number,
  ): number {
    const line = candidate.line!;
    const names = candidate.kind === "prose"
      ? this.#containers
      : this.#containersInCode;
    const room = this.#options.maxTagLength - candidate.length;
    const end = Math.min(text.length, begin + room);
    for (let index = from; index < end; index++) {
      const before = line.phase;
      const unit = text.charCodeAt(index);
      const phase = stepContainer(line, unit, names);
      if (phase === "done") {
        this.#verdict = "done";
        return before === "carriage" && unit !== LF ? index : index + 1;
      }
      if (phase === "dead") {
        this.#verdict = "dead";
        return index;
      }
    }
    this.#verdict = end === begin + room ? "long" : "more";
    return end;
  }

  /** Nothing more comes for a candidate; a container line may be whole all the same. */
  #endCandidate(candidate: Candidate, cut: boolean): void {
    const state = this.#state;
    const { kind, line } = candidate;
    const text = candidate.pieces.join("");
    state.candidate = null;
    this.#verdict = "dead";
    if (line !== null) {
      const names = kind === "prose"
        ? this.#containers
        : this.#containersInCode;
      if (!cut && endContainer(line, names) === "done") {
        state.lineStart = true;
        this.#found(lineFound(candidate, text), kind, -1);
      } else {
        if (!isBlankText(text, 0, text.length)) state.atStart = false;
        this.#flow(text.length);
      }
    } else {
      this.#drop(0);
      this.#flow(1);
      this.#work.push({ text: text.slice(1), kind });
    }
  }

  /** A complete tag or container line: it counts, unless a tick run before it is open. */
  #found(found: Found, kind: Kind, at: number): void {
    this.#state.slashed = false;
    if (at < 0) {
      this.#fire(found, kind);
      return;
    }
    this.#state.waiting = {
      found,
      at,
      line: this.#known?.reasoning === true && found.closer &&
        this.#isOwn(found.name),
      pieces: [],
      length: found.text.length,
    };
  }

  /** Whether a name is that of the open directive. */
  #isOwn(name: string): boolean {
    const { set } = this.#options;
    return set.fold(name) === set.fold(this.#state.open!.name);
  }

  /** A tag or container line that counts. */
  #fire(found: Found, kind: Kind): void {
    const { open } = this.#state;
    this.#forgetSpans();
    if (open === null) this.#open(found);
    else if (this.#options.containers) this.#fireLine(open, found, kind);
    else if (found.closer) this.#fireCloser(open, found, kind);
    else this.#fireOpener(open, found);
    this.#look();
  }

  #fireLine(open: OpenDirective, found: Found, kind: Kind): void {
    if (found.closer) {
      const level = closeLevel(open.levels, found.colons);
      if (level === 0) {
        this.#close(found.text, kind);
        return;
      }
      open.levels.length = level;
    } else if (open.levels.length < this.#options.maxDepth) {
      open.levels.push(found.colons);
    } else this.#tooDeep(open);
    this.#flow(found.text.length);
  }

  #fireCloser(open: OpenDirective, found: Found, kind: Kind): void {
    const { field } = open;
    if (!this.#isOwn(found.name)) {
      if (--field!.depth === 0) {
        this.#flush();
        this.#endHalf(open);
        open.fields.push([field!.name, field!.from, open.length]);
        open.field = null;
      }
    } else if (field !== null && field.own > 0) field.own--;
    else if (open.depth > 1) open.depth--;
    else {
      this.#close(found.text, kind);
      return;
    }
    this.#flow(found.text.length);
  }

  #fireOpener(open: OpenDirective, found: Found): void {
    const { field } = open;
    if (found.empty) {
      if (!this.#isOwn(found.name) && field === null) {
        this.#flow(found.text.length);
        const name = this.#fieldName(found.name);
        open.fields.push([name, open.length, open.length]);
        if (open.partial !== null) setOwn(open.partial.fields!, name, "");
        return;
      }
    } else if (this.#isOwn(found.name)) {
      const depth = open.depth + (field?.own ?? 0);
      if (depth >= this.#options.maxDepth) this.#tooDeep(open);
      else if (field === null) open.depth++;
      else field.own++;
    } else if (field === null) {
      this.#flow(found.text.length);
      this.#flush();
      this.#endHalf(open);
      const name = this.#fieldName(found.name);
      open.field = { name, from: open.length, depth: 1, own: 0 };
      if (open.partial !== null) setOwn(open.partial.fields!, name, "");
      return;
    } else if (field.depth >= this.#options.maxDepth) this.#tooDeep(open);
    else field.depth++;
    this.#flow(found.text.length);
  }

  /** A field's name as it is declared. */
  #fieldName(written: string): string {
    const { set } = this.#options;
    const name = set.fold(written);
    return this.#known!.fields.find((one) => set.fold(one) === name)!;
  }

  #tooDeep(open: OpenDirective): void {
    if (open.warnings.some(({ code }) => code === "limit")) return;
    open.warnings.push({
      code: "limit",
      message:
        `Directive "${open.name}" nests deeper than ${this.#options.maxDepth} levels: deeper openers are content; raise \`maxDepth\` to count them`,
    });
  }

  /** The directive that the stream begins inside of. */
  #beginInside(start: number): void {
    const state = this.#state;
    state.begun = true;
    state.decided = start;
    this.#open({
      text: "",
      name: this.#options.startInside!,
      closer: false,
      empty: false,
      colons: 3,
    });
    this.#look();
  }

  /** Outside, an opener. */
  #open(found: Found): void {
    this.#flush();
    const state = this.#state;
    const { text, name } = found;
    const { containers, set, decodeEntities: decodes } = this.#options;
    const { fields, asReasoning } = set.get(name)!;
    const attributes: Record<string, string> = {};
    let label: string | null = null;
    if (text !== "") {
      const read = containers ? readContainerOpening(text) : undefined;
      const found = read?.attributes ?? readTagAttributes(text, name);
      for (const [key, value] of Object.entries(found)) {
        setOwn(attributes, key, decodes ? decodeEntities(value) : value);
      }
      label = read?.label ?? null;
      if (label !== null && decodes) label = decodeEntities(label);
    }
    const start = state.decided;
    const hold = this.#options.unclosedText;
    const open: OpenDirective = {
      name,
      id: `directive-${start}`,
      attributes,
      label,
      start,
      opener: text,
      blocks: [],
      pieces: [],
      length: 0,
      depth: 1,
      levels: [found.colons],
      field: null,
      fields: [],
      half: "",
      partial: this.#options.partials && !asReasoning && !hold
        ? { content: "", ...(fields.length > 0 ? { fields: {} } : {}) }
        : null,
      warnings: [],
      hold,
    };
    if (hold) state.decided += text.length;
    else this.#start(open, this.#cut(text.length));
    state.open = open;
    state.atStart = false;
    if (found.empty) {
      this.#look();
      this.#close("", "prose");
    }
  }

  #start(open: OpenDirective, waiting: readonly Part[]): void {
    const part: DirectiveStartPart & { label?: string } = {
      type: "directive-start",
      id: open.id,
      name: open.name,
      attributes: { ...open.attributes },
      ...(open.label === null ? {} : { label: open.label }),
      start: open.start,
    };
    this.#emit(part);
    for (const one of waiting) this.#emit(one);
  }

  /** The open directive is over; `closer` is `null` when it never came. */
  #close(closer: string | null, kind: Kind): void {
    const state = this.#state;
    const open = state.open!;
    const known = this.#known!;
    const decodes = this.#options.decodeEntities;
    if (open.hold) {
      this.#start(open, this.#cut(open.opener.length));
      state.decided -= open.opener.length;
      this.#give(open.length, (part) => {
        if (part.type === "text") open.pieces.push(part.text);
        else this.#emit(part);
      });
      this.#flowing = 0;
    } else {
      this.#flush();
      this.#endHalf(open);
    }
    const waiting = closer === null ? [] : this.#cut(closer.length);
    const written = open.blocks.concat(open.pieces).join("");
    const content = decodes ? decodeEntities(written) : written;
    if (open.hold && known.asReasoning && content !== "") {
      this.#emit({ type: "reasoning", text: content });
    }
    const fields = known.fields.length === 0
      ? undefined
      : fieldsOf(open, written, decodes);
    const part: DirectivePart & { label?: string } = {
      type: "directive",
      id: open.id,
      name: open.name,
      attributes: open.attributes,
      ...(open.label === null ? {} : { label: open.label }),
      content,
      ...(fields === undefined ? {} : { fields }),
      complete: closer !== null,
      raw: open.opener + written + (closer ?? ""),
      start: open.start,
      end: state.decided,
    };
    const warn = (code: WarningCode, message: string): void =>
      this.#emit({
        type: "warning",
        code,
        message,
        start: part.start,
        end: part.end,
      });
    for (const { code, message } of open.warnings) warn(code, message);
    if (open.field !== null && closer !== null) {
      warn(
        "malformed",
        `Field "${open.field.name}" of directive "${open.name}" has no closer: it is not among the fields`,
      );
    }
    if (closer === null && kind !== "prose") {
      const message = this.#hiddenCloser(open, written);
      if (message !== undefined) warn("quoted", message);
    }
    if (closer !== null && known.schema !== undefined) {
      const read = readDirectiveValue(content, fields, known.schema);
      if (!read.ok) {
        warn(
          "schema",
          `Directive "${open.name}" does not fit its schema: ${read.reason}`,
        );
      } else {
        part.value = read.value;
        if (read.repairs.length > 0) {
          warn(
            "repaired",
            `The value of directive "${open.name}" was read with repairs: ${
              read.repairs.join(", ")
            }`,
          );
        }
      }
    }
    this.#emit(part);
    for (const one of waiting) this.#emit(one);
    state.open = null;
    this.#forgetSpans();
    this.#look();
    if (closer !== null && kind !== "prose") this.#breakFence();
  }

  /** Everything held for the open directive is text after all. */
  #disown(): void {
    const state = this.#state;
    const open = state.open!;
    for (const { code, message } of open.warnings) {
      this.#emit({
        type: "warning",
        code,
        message,
        start: open.start,
        end: state.decided,
      });
    }
    state.open = null;
    this.#flowing = open.opener.length + open.length;
    this.#forgetSpans();
    this.#look();
    this.#flush();
  }

  /** The fence that the closer stood in is over: what follows is read as if it had been closed. */
  #breakFence(): void {
    const state = this.#state;
    this.#rest = [];
    if (!state.marked) return;
    state.lost = true;
    const only = this.#options.trackFences === false;
    state.marked = only;
    for (const mark of [...state.marks, this.#mark]) {
      mark.counts = only;
      mark.code = null;
    }
  }

  /** A directive that was left open in a fence may have been meant to end there. */
  #hiddenCloser(open: OpenDirective, written: string): string | undefined {
    const at = this.#options.containers
      ? written.lastIndexOf(`\n${":".repeat(open.levels[0]!)}`) + 1
      : written.lastIndexOf(`</${open.name}`);
    if (at < (this.#options.containers ? 1 : 0)) return undefined;
    const offset = open.start + open.opener.length + at;
    return `Directive "${open.name}" was not closed: what looks like its closer, at offset ${offset}, is in a code fence that was not closed either`;
  }

  /** What follows from the state. */
  #look(): void {
    const { open } = this.#state;
    const { set, caseInsensitive: fold } = this.#options;
    this.#known = open === null ? undefined : set.get(open.name);
    if (open === null) {
      this.#tags = { openers: set.names, closers: [], fold };
      this.#containers = { openers: set.names, closer: 0, fold };
      return;
    }
    const { balanced, fields } = this.#known!;
    const own = set.fold(open.name);
    const closers = [own];
    const openers = balanced ? [own] : [];
    if (open.field !== null) {
      const name = set.fold(open.field.name);
      closers.push(name);
      if (balanced) openers.push(name);
    } else if (open.depth === 1) {
      for (const field of fields) openers.push(set.fold(field));
    }
    this.#tags = { openers, closers, fold };
    this.#tagsInCode = { openers: [], closers: [own], fold };
    const closer = Math.min(...open.levels);
    this.#containers = { openers: balanced ? null : [], closer, fold };
    this.#containersInCode = { openers: [], closer, fold };
  }

  /** Whether the open directive's closer counts in code too. */
  get #breaks(): boolean {
    const known = this.#known;
    return known !== undefined && (known.reasoning || known.raw);
  }

  /** Whether code spans and back-slashes count here. */
  get #hasSpans(): boolean {
    return this.#options.codeAware && this.#known?.raw !== true;
  }

  /** Whether an odd number of back-slashes stands right before this place. */
  #isSlashed(text: string, index: number): boolean {
    let at = index;
    while (at > 0 && text.charCodeAt(at - 1) === BACKSLASH) at--;
    const odd = (index - at) % 2 === 1;
    return at === 0 && this.#state.slashed ? !odd : odd;
  }

  /** The next code units are text, or content of the open directive. */
  #flow(count: number): void {
    const state = this.#state;
    this.#flowing += count;
    state.decided += count;
    if (state.open !== null) state.open.length += count;
  }

  /** Lets out what is decided. */
  #flush(): void {
    const count = this.#flowing;
    if (count === 0) return;
    this.#flowing = 0;
    const { open } = this.#state;
    if (open === null) this.#give(count, this.#emit);
    else if (!open.hold) this.#give(count, this.#content);
  }

  /** Gives the next code units and the parts that wait before them and right behind. */
  #give(count: number, to: Emit<Part>): void {
    const held = Math.min(count, this.held.length);
    if (held > 0) this.held.give(to, held);
    const rest = count - held;
    if (rest === 0) return;
    const fresh = this.#fresh!;
    const used = this.#used;
    this.#used += rest;
    to(
      rest === fresh.text.length ? fresh : textPart(
        fresh.text.slice(used, used + rest),
        fresh.start + used,
        fresh.code,
      ),
    );
  }

  /** Takes markup out; gives the parts that wait inside it. */
  #cut(count: number): Part[] {
    const waiting: Part[] = [];
    this.#state.decided += count;
    this.#give(count, (part) => {
      if (part.type !== "text") waiting.push(part);
    });
    return waiting;
  }

  /** More content of the open directive. */
  readonly #content: Emit<Part> = (part) => {
    if (part.type !== "text") {
      this.#emit(part);
      return;
    }
    const open = this.#state.open!;
    open.pieces.push(part.text);
    if (open.pieces.length >= PIECES) {
      open.blocks.push(open.pieces.join(""));
      open.pieces.length = 0;
    }
    if (!this.#options.decodeEntities) {
      this.#delta(open, part.text);
      return;
    }
    const text = open.half + part.text;
    const half = halfEntity(text);
    open.half = text.slice(text.length - half);
    this.#delta(open, decodeEntities(text.slice(0, text.length - half)));
  };

  /** What looked like the beginning of a character reference was none. */
  #endHalf(open: OpenDirective): void {
    const { half } = open;
    open.half = "";
    this.#delta(open, half);
  }

  #delta(open: OpenDirective, text: string): void {
    if (text === "") return;
    if (this.#known!.asReasoning) {
      this.#emit({ type: "reasoning", text });
      return;
    }
    const delta: DirectiveDeltaPart & { partial?: DirectivePartial } = {
      type: "directive-delta",
      id: open.id,
      name: open.name,
      text,
    };
    const { partial } = open;
    if (partial !== null) {
      partial.content += text;
      const { fields } = partial;
      if (fields === undefined) delta.partial = { content: partial.content };
      else {
        if (open.field !== null) {
          const { name } = open.field;
          setOwn(fields, name, fields[name] + text);
        }
        delta.partial = { content: partial.content, fields: { ...fields } };
      }
    }
    this.#emit(delta);
  }

  /** Says something about what is decided next. */
  #warn(code: WarningCode, message: string, start: number, end: number): void {
    const { open } = this.#state;
    if (open?.hold) {
      open.warnings.push({ code, message });
      return;
    }
    this.#flush();
    this.#emit({ type: "warning", code, message, start, end });
  }
}

const NO_TAGS: TagNames = { openers: [], closers: [], fold: false };
const NO_CONTAINERS: ContainerNames = { openers: [], closer: 0, fold: false };

const LF = 10;
const CR = 13;
const SPACE = 32;
const COLON = 58;
const LESS = 60;
const SLASH = 47;
const BACKSLASH = 92;
const TICK = 96;

/** Where something comes next; the text's length when it does not. */
function find(text: string, what: string, from: number): number {
  const at = text.indexOf(what, from);
  return at < 0 ? text.length : at;
}

function findLineEnd(text: string, from: number): number {
  const feed = find(text, "\n", from);
  const carriage = text.indexOf("\r", from);
  return carriage < 0 || carriage > feed ? feed : carriage;
}

function isLineEnd(unit: number): boolean {
  return unit === LF || unit === CR;
}

function isBlankText(text: string, from: number, to: number): boolean {
  for (let index = from; index < to; index++) {
    if (!isBlank(text.charCodeAt(index))) return false;
  }
  return true;
}

/** Whether a tag may begin with `<` and this code unit; `NaN` when it did not come yet. */
function mayBegin(tags: TagNames, unit: number): boolean {
  if (Number.isNaN(unit)) return true;
  if (unit === SLASH) return tags.closers.length > 0;
  const first = String.fromCharCode(unit);
  const folded = tags.fold ? first.toLowerCase() : first;
  for (const name of tags.openers) if (name.startsWith(folded)) return true;
  return false;
}

function startCandidate(
  kind: Kind,
  tag: TagState | null,
  at: number,
): Candidate {
  const line = tag === null ? startContainer() : null;
  return { pieces: [], length: 0, kind, tag, line, at };
}

function tagFound(candidate: Candidate, text: string): Found {
  const { name, closer, empty } = candidate.tag!;
  return { text, name, closer, empty, colons: 0 };
}

function lineFound(candidate: Candidate, text: string): Found {
  const { name, colons } = candidate.line!;
  return { text, name, closer: name === "", empty: false, colons };
}

function fieldsOf(
  open: OpenDirective,
  written: string,
  decodes: boolean,
): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [name, from, to] of open.fields) {
    const text = written.slice(from, to);
    setOwn(fields, name, decodes ? decodeEntities(text) : text);
  }
  return fields;
}
