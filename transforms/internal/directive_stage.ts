import type { CodeKind, Part, TextPart } from "../part.ts";
import type { Emit } from "../stage.ts";
import { CodeSpans, type CodeSpansSnapshot } from "./code_spans.ts";
import { CodeTracker, type CodeTrackerSnapshot } from "./code_tracker.ts";
import { isLineEnd } from "./code_units.ts";
import { decodeEntities } from "./decode_entities.ts";
import {
  closeLevel,
  type ContainerNames,
  type ContainerState,
  endContainer,
  readContainerOpening,
  startContainer,
  stepContainer,
} from "./directive_container.ts";
import {
  DirectiveOutlet,
  type DirectiveOutletSnapshot,
} from "./directive_outlet.ts";
import type { DirectiveSet, KnownDirective } from "./directive_set.ts";
import {
  isHtmlSpace,
  readTagAttributes,
  startTag,
  stepTag,
  type TagNames,
  type TagState,
} from "./directive_tag.ts";
import type { HeldText } from "./held_text.ts";
import { textPart } from "./held_text.ts";
import { MarkRepair, type MarkRepairSnapshot } from "./mark_repair.ts";
import type { FenceMode, LineKind } from "./markdown_lines.ts";
import {
  addEmptyField,
  closeField,
  type OpenDirective,
  openField,
} from "./open_directive.ts";
import { setOwn } from "./own_property.ts";
import { makeSnapshot, openSnapshot } from "./snapshot.ts";
import { knownFlagsOf, LESS_THAN } from "./text_flags.ts";
import { TextStage } from "./text_stage.ts";

/** The options of the stream, checked and with all defaults filled in. */
export interface DirectiveStageOptions {
  readonly set: DirectiveSet;
  readonly containers: boolean;
  readonly codeAware: boolean;
  readonly mode: FenceMode;
  /** `undefined`: own fences until the first mark comes. */
  readonly trackFences: boolean | undefined;
  /** Whether an upstream tracker finds the same fences as this one would. */
  readonly sameMarks: boolean;
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

/**
 * So much text is read at once. What is behind a tag may pass unread; and what is
 * behind the closer that ends a fence has to be read again.
 */
const STEP = 512;

/** Longer texts come in pieces. */
const LONGEST_QUICK = 32_768;

/** A tag or container line that may be one; its text is not decided. */
interface Candidate {
  /** The text that came in earlier pieces. */
  pieces: string[];
  /** Its length. */
  length: number;
  kind: LineKind;
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

/** Everything that changes and is not another's, as plain data. */
interface State {
  offset: number;
  candidate: Candidate | null;
  waiting: Waiting | null;
  /** How many of the next code units the code spans have read already. */
  ahead: number;
  /** Whether an odd number of back-slashes stands right before the next code unit. */
  slashed: boolean;
  /** What the last text was. */
  kind: LineKind;
  /** Whether only white space came so far, and that matters. */
  atStart: boolean;
  /** Whether the directive of `startInside` has begun. */
  begun: boolean;
  /** Whether a container line may begin here. */
  lineStart: boolean;
}

interface Snapshot {
  state: State;
  outlet: DirectiveOutletSnapshot;
  tracker: CodeTrackerSnapshot;
  spans: CodeSpansSnapshot;
  marks: MarkRepairSnapshot;
}

/** Text that is to be read. */
interface Work {
  text: string;
  kind: LineKind;
  /** Whether it has ticks, when that is known. */
  ticks?: boolean;
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
 * Text with no "<" that may begin a tag is let pass by whatever it is; the tracker
 * notes it. From such a "<" on the tracker says what each piece is, until there is
 * no candidate any more.
 */
export class DirectiveStage extends TextStage {
  protected override readonly held: HeldText;
  readonly #options: DirectiveStageOptions;
  readonly #outlet: DirectiveOutlet;
  readonly #tracker: CodeTracker | undefined;
  readonly #spans: CodeSpans;
  /** What is given out goes through here. */
  readonly #marks: MarkRepair;
  readonly #state: State;
  /** What is to be read next, last one first. */
  readonly #work: Work[] = [];
  #verdict: Verdict = "more";
  /** Whether a text without a `<` leaves as it is. */
  #isQuick = false;
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
    const { set, codeAware, mode, trackFences, sameMarks } = options;
    const given = openSnapshot<Snapshot>(STAGE, snapshot);
    this.#outlet = new DirectiveOutlet({
      decodeEntities: options.decodeEntities,
      partials: options.partials,
      hold: options.unclosedText,
    }, given?.outlet);
    this.held = this.#outlet.held;
    this.#spans = new CodeSpans(options.maxHeldSpan, given?.spans);
    this.#marks = new MarkRepair(mode, given?.marks);
    this.#state = given?.state ?? {
      offset: 0,
      candidate: null,
      waiting: null,
      ahead: 0,
      slashed: false,
      kind: "prose",
      atStart: options.onlyAtStart,
      begun: options.startInside === undefined,
      lineStart: true,
    };
    this.offset = this.#state.offset;
    if (codeAware) {
      this.#tracker = new CodeTracker({ mode, trackFences, sameMarks }, {
        text: (text, kind) => this.#feed(text, kind),
        passed: (text, kind) => this.#pass(text, kind),
        paragraphEnd: () => this.#settle(false),
      }, given?.tracker);
    }
    const { opened } = this.#outlet;
    if (opened !== null && set.get(opened.name) === undefined) {
      throw new TypeError(
        `Cannot resume: the snapshot is inside directive "${opened.name}", which is not among the directives`,
      );
    }
    this.#look();
    if (this.#known !== undefined) this.#outlet.resume(this.#known);
  }

  override push(input: string | Part, emit: Emit<Part>): void {
    if (
      typeof input !== "string" && this.#isQuick && input.type === "text" &&
      input.start === this.offset && input.text !== "" &&
      input.text.length < LONGEST_QUICK
    ) {
      // Most text by far goes this way: it is here, and not in the class above,
      // as engines make calls cheap that always meet the same.
      const { text, start, code } = input;
      const flags = knownFlagsOf(text);
      if ((flags & LESS_THAN) === 0 || !text.includes("<")) {
        this.offset = this.#outlet.decided = start + text.length;
        emit(input);
        this.#tracker?.pass(text, start, code, flags);
        return;
      }
    }
    this.#marks.to = emit;
    super.push(input, this.#marks.emit);
  }

  override end(emit: Emit<Part>): void {
    this.#marks.to = emit;
    this.#end(true);
  }

  /** Decides everything and ends what is open. `last`: no other text follows. */
  #end(last: boolean): void {
    const state = this.#state;
    this.#isQuick = false;
    this.#outlet.emit = this.#marks.emit;
    if (!state.begun) this.#beginInside(this.offset);
    this.#tracker?.end(
      last && state.candidate === null && state.waiting === null &&
        this.#outlet.opened === null,
    );
    this.#settle(true);
    const { opened } = this.#outlet;
    if (opened !== null) {
      if (opened.hold) this.#disown();
      else this.#close(null, state.kind);
    }
    this.#outlet.flush();
    this.#giveNotes();
    this.#marks.end();
  }

  override snapshot(): unknown {
    const snapshot: Snapshot = {
      state: { ...this.#state, offset: this.offset },
      outlet: this.#outlet.snapshot(),
      tracker: this.#tracker?.snapshot(),
      spans: this.#spans.snapshot(),
      marks: this.#marks.snapshot(),
    };
    return makeSnapshot(STAGE, snapshot);
  }

  protected override release(emit: Emit<Part>): void {
    this.#isQuick = false;
    this.#outlet.emit = emit;
    this.#tracker?.release();
    this.#settle(true);
    if (this.#outlet.opened?.hold) this.#disown();
    this.#outlet.flush();
    this.#giveNotes();
  }

  /** Fences of an upstream tracker pass in order. */
  protected override part(part: Part, emit: Emit<Part>): void {
    if (part.type !== "fence-start" && part.type !== "fence-end") {
      // Nothing of this text comes behind it.
      if (part.type === "finish") this.#end(false);
      super.part(part, emit);
      return;
    }
    this.#tracker?.fence();
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
    const outlet = this.#outlet;
    const tracker = this.#tracker;
    const chunk = whole ?? textPart(text, start, code);
    const flags = knownFlagsOf(text);
    if (this.#isQuick && ((flags & LESS_THAN) === 0 || !text.includes("<"))) {
      outlet.decided = start + text.length;
      this.#marks.to(chunk);
      tracker?.pass(text, start, code, flags);
      return;
    }
    outlet.emit = emit;
    outlet.begin(chunk);
    if (!this.#state.begun) this.#beginInside(start);
    if (tracker === undefined) this.#feed(text, "prose");
    else {
      for (let from = 0; from < text.length;) {
        const rest = from === 0 ? text : text.slice(from);
        const free = this.#free(rest, tracker);
        if (free > 0) {
          outlet.flow(free);
          const passing = free === rest.length ? rest : rest.slice(0, free);
          if (!this.#isOver) {
            tracker.pass(passing, start + from, code, flags);
          }
        }
        if (free < rest.length) {
          const reading = rest.slice(free, free + STEP);
          tracker.read(reading, start + from + free, code);
        }
        from += free + STEP;
      }
    }
    outlet.finish();
    this.#isQuick = this.#mayBeQuick();
  }

  /** Whether the next text is just text, if it has no `<` in it. */
  #mayBeQuick(): boolean {
    const { candidate, waiting, ahead, atStart } = this.#state;
    return candidate === null && waiting === null && ahead === 0 &&
      !atStart && !this.#options.containers &&
      this.#outlet.opened === null && this.held.length === 0 &&
      !this.#marks.active && this.#tracker?.isSettled !== false;
  }

  /** How much of a text can pass whatever it is: nothing in it may begin a tag. */
  #free(text: string, tracker: CodeTracker): number {
    const state = this.#state;
    const { length } = text;
    const { opened } = this.#outlet;
    if (state.candidate !== null || state.waiting !== null) return 0;
    if (opened === null) {
      if (this.#isOver) return length;
    } else if (opened.length + length > this.#options.maxContentLength) {
      return 0;
    }
    if (state.ahead > 0 || !tracker.isSettled) return 0;
    if (this.#options.containers) return this.#freeLines(text);
    if (opened === null && state.atStart) {
      const from = blanksOf(text, 0);
      if (from < length && text.charCodeAt(from) !== LESS) {
        state.atStart = false;
        return length;
      }
      return from;
    }
    return findTag(text, this.#tags, find(text, "<", 0));
  }

  /** As `#free`, for container lines: all, or nothing. */
  #freeLines(text: string): number {
    const state = this.#state;
    const last = text.charCodeAt(text.length - 1);
    if (state.atStart || last === SPACE || text.includes(":")) return 0;
    state.lineStart = isLineEnd(last);
    return text.length;
  }

  /** Whether no directive can begin any more. */
  get #isOver(): boolean {
    return this.#options.onlyAtStart && !this.#state.atStart &&
      this.#outlet.opened === null;
  }

  /** Text that has left; what it is may matter for what follows. */
  #pass(text: string, kind: LineKind): void {
    if (kind !== this.#state.kind) this.#turn(kind);
    if (kind === "prose" && this.#hasSpans) this.#passSpans(text);
  }

  #passSpans(text: string): void {
    if (text.includes("`") || this.#isBusy(text)) this.#readSpans(text);
    this.#state.slashed = this.#isSlashed(text, text.length);
  }

  /** Whether the code spans have to read a text that has no ticks. */
  #isBusy(text: string): boolean {
    return this.#state.slashed ||
      this.#spans.settled !== this.#spans.position ||
      text.charCodeAt(text.length - 1) === BACKSLASH;
  }

  /** Text that waits for what becomes of it. */
  #feed(text: string, kind: LineKind): void {
    const state = this.#state;
    if (kind !== state.kind) this.#turn(kind);
    if (
      state.candidate === null && state.waiting === null &&
      state.ahead === 0 && !state.atStart && !this.#options.containers &&
      this.#fits(text.length) &&
      (this.#isOver ||
        findTag(text, this.#tags, find(text, "<", 0)) === text.length)
    ) {
      this.#outlet.flow(text.length);
      if (kind === "prose" && this.#hasSpans) this.#passSpans(text);
    } else {
      this.#work.push({ text, kind });
      this.#read();
    }
  }

  /** Whether so much more does not reach the content's limit. */
  #fits(length: number): boolean {
    const { opened } = this.#outlet;
    return opened === null ||
      opened.length + length <= this.#options.maxContentLength;
  }

  /** Another kind of text begins: no candidate and no paragraph reaches into it. */
  #turn(kind: LineKind): void {
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
      if (waiting !== null) this.#decide(waiting, "");
      else if (candidate !== null && candidate.at >= 0) {
        this.#settleCandidate(candidate, "", 0);
      } else if (all && candidate !== null) this.#endCandidate(candidate, cut);
      else break;
      this.#read();
    }
    state.slashed = false;
  }

  #read(): void {
    const work = this.#work;
    for (let item = work.pop(); item !== undefined; item = work.pop()) {
      const { text, kind, ticks } = item;
      if (text === "") continue;
      const { candidate, waiting } = this.#state;
      const { opened } = this.#outlet;
      let now = item;
      if (opened !== null) {
        const undecided = (candidate?.length ?? 0) + (waiting?.length ?? 0);
        const room = this.#options.maxContentLength - opened.length -
          undecided;
        if (room <= 0) {
          work.push(item);
          this.#overflow(opened);
          continue;
        }
        if (room < text.length) {
          work.push({ ...item, text: text.slice(room) });
          now = { ...item, text: text.slice(0, room) };
        }
      }
      if (this.#options.containers) this.#readLines(now.text, kind);
      else if (waiting !== null) this.#watch(waiting, now.text, ticks);
      else if (candidate !== null) this.#goOn(candidate, now.text, kind);
      else this.#readTags(now);
    }
  }

  /** The open directive has reached its limit and goes on no further. */
  #overflow(opened: OpenDirective): void {
    const state = this.#state;
    if (state.waiting !== null) {
      this.#fireWaiting(state.waiting, "");
      return;
    }
    if (state.candidate !== null) {
      this.#outlet.flow(state.candidate.length);
      state.candidate = null;
    }
    const { name, hold, start } = opened;
    const { maxContentLength } = this.#options;
    this.#outlet.warn(
      "limit",
      `Directive "${name}" is longer than ${maxContentLength} code units: ${
        hold ? "it is text" : "it ends here, incomplete, and text follows"
      }; raise \`maxContentLength\` to take longer ones`,
      start,
      this.#outlet.decided,
    );
    if (hold) this.#disown();
    else this.#close(null, "prose");
  }

  /** Whether this kind of text holds nothing that counts here. */
  #ignores(kind: LineKind): boolean {
    if (kind === "prose") return false;
    const known = this.#known;
    return known === undefined || !(known.reasoning || known.raw);
  }

  /** The next text in the tag dialect, with no candidate before it. */
  #readTags({ text, kind, ticks = text.includes("`") }: Work): void {
    const state = this.#state;
    const outlet = this.#outlet;
    const { length } = text;
    if (this.#ignores(kind)) {
      if (outlet.opened === null) state.atStart = false;
      outlet.flow(length);
      return;
    }
    const first = outlet.opened === null && this.#options.onlyAtStart;
    let from = 0;
    if (first) {
      from = state.atStart ? blanksOf(text, 0) : length;
      if (from < length) state.atStart = text.charCodeAt(from) === LESS;
      outlet.flow(state.atStart ? from : length);
      if (from === length || !state.atStart) return;
    }
    const prose = kind === "prose";
    const tags = prose ? this.#tags : this.#tagsInCode;
    const spans = prose && this.#hasSpans;
    const busy = spans && (state.ahead > 0 || ticks || this.#isBusy(text));
    let fed = state.ahead;
    let less = find(text, "<", from);
    for (; less < length; less = find(text, "<", less + 1)) {
      if (
        mayBegin(tags, text.charCodeAt(less + 1)) &&
        !(spans && this.#isSlashed(text, less))
      ) {
        outlet.flow(less - from);
        from = less;
        const candidate = startCandidate(kind, startTag());
        if (busy) {
          fed = this.#spansTo(text, fed, less + 1);
          const at = this.#spans.position - (fed - less);
          if ((this.#spans.open ?? at) < at) candidate.at = at;
        }
        candidate.length = 1;
        const to = this.#stepTag(candidate, text, less + 1);
        candidate.length = 0;
        if (candidate.at >= 0) {
          fed = this.#spansRunTo(text, fed, to, candidate.at);
          if (this.#settleCandidate(candidate, text, less)) return;
          if (candidate.at < 0) fed = less + 1;
        }
        if (this.#verdict === "done") {
          this.#work.push({ text: text.slice(to), kind, ticks });
          this.#found(
            tagFound(candidate, text.slice(less, to)),
            kind,
            candidate.at,
          );
          return;
        }
        if (this.#verdict === "more") {
          candidate.pieces.push(text.slice(less));
          candidate.length = length - less;
          state.candidate = candidate;
          state.slashed = false;
          state.ahead = 0;
          return;
        }
        this.#drop(to - less);
      }
      if (first) {
        state.atStart = false;
        break;
      }
    }
    outlet.flow(length - from);
    state.ahead = busy ? this.#spansTo(text, fed, length) - length : 0;
    state.slashed = spans && this.#isSlashed(text, length);
  }

  /** The next text for a tag that began in an earlier one. */
  #goOn(candidate: Candidate, text: string, kind: LineKind): void {
    const state = this.#state;
    const to = this.#stepTag(candidate, text, 0);
    if (candidate.at >= 0) {
      const read = this.#spans.position - candidate.at - candidate.length;
      this.#spansRunTo(text, Math.max(0, read), to, candidate.at);
      if (this.#settleCandidate(candidate, text, 0)) return;
    }
    if (this.#verdict === "more") {
      candidate.pieces.push(text);
      candidate.length += text.length;
      return;
    }
    state.candidate = null;
    const before = candidate.pieces.join("");
    if (this.#verdict === "done") {
      this.#work.push({ text: text.slice(to), kind });
      this.#found(
        tagFound(candidate, before + text.slice(0, to)),
        kind,
        candidate.at,
      );
      return;
    }
    this.#drop(candidate.length + to);
    this.#outlet.flow(1);
    this.#work.push({ text, kind }, { text: before.slice(1), kind });
    if (candidate.at >= 0) {
      state.ahead = this.#spans.position - candidate.at - 1;
    }
  }

  /**
   * Reads on in a candidate: `#verdict` says what came of it. Gives the index
   * behind a tag that is done, or of the code unit that decided otherwise.
   */
  #stepTag(candidate: Candidate, text: string, from: number): number {
    const tag = candidate.tag!;
    const tags = candidate.kind === "prose" ? this.#tags : this.#tagsInCode;
    // What follows `<` is always looked at: in one chunk with it, it was already.
    const room = Math.max(1, this.#options.maxTagLength - candidate.length);
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

  /** A candidate of this length was none. */
  #drop(length: number): void {
    if (this.#outlet.opened === null) this.#state.atStart = false;
    if (this.#verdict !== "long") return;
    const { decided } = this.#outlet;
    this.#outlet.warn(
      "too-long",
      `What begins like a directive's tag is longer than ${this.#options.maxTagLength} code units: it is text; raise \`maxTagLength\` to take longer ones`,
      decided,
      decided + length,
    );
  }

  /** The code spans read text that no tag waits in. */
  #readSpans(text: string): void {
    let line = text;
    if (this.#known?.reasoning === true) {
      // No span reaches into the next line there: one stray tick would hide
      // the closer.
      const end = Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r")) + 1;
      if (end > 0) {
        this.#spans.text(text.slice(0, end));
        this.#spans.end();
        line = text.slice(end);
      }
    }
    this.#spans.text(line);
  }

  /** The code spans read up to an index, if they have not; gives the index up to which they have. */
  #spansTo(text: string, from: number, to: number): number {
    if (from >= to) return from;
    this.#readSpans(text.slice(from, to));
    return to;
  }

  /** As `#spansTo`, one tick run after the other until something is decided about position `at`. */
  #spansRunTo(text: string, from: number, to: number, at: number): number {
    let fed = from;
    while (fed < to) {
      let end = find(text, "`", fed);
      while (text.charCodeAt(end) === TICK) end++;
      // A run's length is known with the code unit behind it.
      end = Math.min(to, end + 1);
      this.#spans.text(text.slice(fed, end));
      fed = end;
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

  /**
   * Whether a candidate turned out to stand in a code span. Its text goes on in
   * this one at an index.
   */
  #settleCandidate(candidate: Candidate, text: string, from: number): boolean {
    const place = this.#place(candidate.at);
    if (place === "code") {
      this.#state.candidate = null;
      this.#hide(candidate, text, from);
      return true;
    }
    if (place === "prose") {
      // The run before it is literal. If it dies, the spans read all behind it again.
      candidate.at = -1;
      this.#forgetSpans();
    }
    return false;
  }

  /**
   * A code span covers the beginning of what is held. That is text; what is
   * behind the span is read again.
   */
  #hide(
    { pieces, length, at }: Candidate | Waiting,
    text: string,
    from: number,
    ahead: number = -1,
  ): void {
    const hidden = this.#spanEnd - at;
    this.#outlet.flow(hidden);
    if (ahead < 0) this.#forgetSpans();
    else this.#state.ahead = ahead;
    // In small pieces: joining them to the text for each span is quadratic.
    this.#work.push({
      text: text.slice(from + Math.max(0, hidden - length)),
      kind: "prose",
    });
    if (hidden < length) {
      this.#work.push({ text: pieces.join("").slice(hidden), kind: "prose" });
    }
  }

  #forgetSpans(): void {
    this.#spans.reset(0);
    this.#state.ahead = 0;
    this.#state.slashed = false;
  }

  /** Reads on behind a complete tag, until it is known whether it stands in a code span. */
  #watch(waiting: Waiting, text: string, ticks: boolean | undefined): void {
    const lineEnd = waiting.line ? findLineEnd(text, 0) : text.length;
    const read = this.#spans.position - waiting.at - waiting.length;
    if (read < lineEnd) {
      if (ticks === false) this.#spansTo(text, Math.max(0, read), lineEnd);
      else this.#spansRunTo(text, Math.max(0, read), lineEnd, waiting.at);
    }
    if (this.#place(waiting.at) !== "open") this.#decide(waiting, text);
    else if (lineEnd < text.length) this.#endLine(waiting, text, lineEnd);
    else {
      waiting.pieces.push(text);
      waiting.length += text.length;
    }
  }

  /** The spans have decided about a tag; the text goes on behind what is held. */
  #decide(waiting: Waiting, text: string): void {
    if (this.#place(waiting.at) === "code") {
      this.#state.waiting = null;
      this.#hide(waiting, text, 0);
      return;
    }
    if (this.#spans.expired.length > 0) {
      const { name, text: tag } = waiting.found;
      const { decided } = this.#outlet;
      this.#outlet.warn(
        "limit",
        `Directive tag "${name}" stands behind backticks that were not closed within ${this.#options.maxHeldSpan} code units: it counts; raise \`maxHeldSpan\` to wait longer`,
        decided,
        decided + tag.length,
      );
    }
    this.#fireWaiting(waiting, text);
  }

  /** The line of a reasoning closer is over: only a span on it hides the closer. */
  #endLine(waiting: Waiting, text: string, lineEnd: number): void {
    const { at, length } = waiting;
    const spans = new CodeSpans(
      this.#options.maxHeldSpan,
      this.#spans.snapshot(),
    );
    spans.end();
    const span = spans.spans.find(([start, end]) =>
      start <= at && at < end && end <= at + length + lineEnd
    );
    if (span === undefined) {
      this.#fireWaiting(waiting, text);
      return;
    }
    this.#state.waiting = null;
    this.#spanEnd = span[1];
    // An outer run is still open: the spans go on where they are.
    this.#hide(waiting, text, 0, this.#spans.position - span[1]);
  }

  /** The tag stands in no span: it counts, and what came after it is read again. */
  #fireWaiting({ pieces, found }: Waiting, text: string): void {
    this.#state.waiting = null;
    this.#work.push({ text, kind: "prose" }, {
      text: pieces.join("").slice(found.text.length),
      kind: "prose",
    });
    this.#fire(found, "prose");
  }

  /** The next text in the container dialect. */
  #readLines(text: string, kind: LineKind): void {
    const state = this.#state;
    const outlet = this.#outlet;
    const { length } = text;
    if (this.#ignores(kind)) {
      if (outlet.opened === null) state.atStart = false;
      outlet.flow(length);
      state.lineStart = isLineEnd(text.charCodeAt(length - 1));
      return;
    }
    let from = 0;
    let index = 0;
    while (index < length) {
      let { candidate } = state;
      if (candidate === null && this.#mayOpenLine(text.charCodeAt(index))) {
        outlet.flow(index - from);
        from = index;
        candidate = state.candidate = startCandidate(kind, null);
      }
      if (candidate === null) {
        const to = findLineEnd(text, index);
        if (state.atStart && blanksOf(text, index) < to) state.atStart = false;
        state.lineStart = to < length;
        index = to + 1;
        continue;
      }
      state.lineStart = false;
      const to = this.#stepLine(candidate, text, index, from);
      if (this.#verdict === "more") {
        candidate.pieces.push(text.slice(from));
        candidate.length += length - from;
        return;
      }
      state.candidate = null;
      if (this.#verdict === "done") {
        state.lineStart = true;
        this.#work.push({ text: text.slice(to), kind });
        const line = candidate.pieces.join("") + text.slice(from, to);
        this.#found(lineFound(candidate, line), kind, -1);
        return;
      }
      // Nothing but blanks is not a beginning, however many there are.
      const dead = this.#verdict === "dead";
      if (
        candidate.line!.colons > 0 || dead && !isHtmlSpace(text.charCodeAt(to))
      ) {
        this.#drop(candidate.length + to - from);
      }
      outlet.flow(candidate.length);
      index = to;
    }
    outlet.flow(length - from);
  }

  /** Whether a container line may begin here with this code unit. */
  #mayOpenLine(unit: number): boolean {
    return this.#state.lineStart && (unit === SPACE || unit === COLON) &&
      !this.#isOver;
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
    if (line === null) {
      this.#drop(0);
      this.#outlet.flow(1);
      this.#work.push({ text: text.slice(1), kind });
      return;
    }
    const names = kind === "prose" ? this.#containers : this.#containersInCode;
    if (!cut && endContainer(line, names) === "done") {
      state.lineStart = true;
      this.#found(lineFound(candidate, text), kind, -1);
    } else {
      if (line.colons > 0) this.#drop(0);
      this.#outlet.flow(text.length);
    }
  }

  /** A complete tag or container line: it counts, unless a tick run before it is open. */
  #found(found: Found, kind: LineKind, at: number): void {
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
      pieces: [found.text],
      length: found.text.length,
    };
  }

  /** Whether a name is that of the open directive. */
  #isOwn(name: string): boolean {
    const { set } = this.#options;
    return set.fold(name) === set.fold(this.#outlet.opened!.name);
  }

  /** A tag or container line that counts. */
  #fire(found: Found, kind: LineKind): void {
    const { opened } = this.#outlet;
    this.#forgetSpans();
    if (opened === null) this.#open(found);
    else if (this.#options.containers) this.#fireLine(opened, found, kind);
    else if (found.closer) this.#fireCloser(opened, found, kind);
    else this.#fireOpener(opened, found);
    this.#look();
  }

  #fireLine(opened: OpenDirective, found: Found, kind: LineKind): void {
    const { levels } = opened;
    if (found.closer) {
      const level = closeLevel(levels, found.colons);
      if (level === 0) {
        this.#close(found.text, kind);
        return;
      }
      levels.length = level;
    } else if (levels.length < this.#options.maxDepth) {
      levels.push(found.colons);
    } else this.#tooDeep(opened);
    this.#outlet.flow(found.text.length);
  }

  #fireCloser(opened: OpenDirective, found: Found, kind: LineKind): void {
    const { field } = opened;
    if (!this.#isOwn(found.name)) {
      if (--field!.depth === 0) {
        this.#outlet.flush();
        this.#outlet.endHalf();
        closeField(opened);
      }
    } else if (field !== null && field.own > 0) field.own--;
    else if (opened.depth > 1) opened.depth--;
    else {
      this.#close(found.text, kind);
      return;
    }
    this.#outlet.flow(found.text.length);
  }

  #fireOpener(opened: OpenDirective, found: Found): void {
    const { maxDepth } = this.#options;
    const { field } = opened;
    this.#outlet.flow(found.text.length);
    if (this.#isOwn(found.name)) {
      if (found.empty) return;
      const depth = opened.depth + (field?.own ?? 0);
      if (depth >= maxDepth) this.#tooDeep(opened);
      else if (field === null) opened.depth++;
      else field.own++;
    } else if (field !== null) {
      if (found.empty) return;
      if (field.depth >= maxDepth) this.#tooDeep(opened);
      else field.depth++;
    } else {
      this.#outlet.flush();
      this.#outlet.endHalf();
      const name = this.#fieldName(found.name);
      if (found.empty) addEmptyField(opened, name);
      else openField(opened, name);
    }
  }

  /** A field's name as it is declared. */
  #fieldName(written: string): string {
    const { set } = this.#options;
    const name = set.fold(written);
    return this.#known!.fields.find((one) => set.fold(one) === name)!;
  }

  #tooDeep({ name, warnings }: OpenDirective): void {
    if (warnings.some(({ code }) => code === "limit")) return;
    warnings.push({
      code: "limit",
      message:
        `Directive "${name}" nests deeper than ${this.#options.maxDepth} levels: deeper openers are content; raise \`maxDepth\` to count them`,
    });
  }

  /** The directive that the stream begins inside of. */
  #beginInside(start: number): void {
    this.#state.begun = true;
    this.#outlet.decided = start;
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
  #open({ text, name, empty, colons }: Found): void {
    const outlet = this.#outlet;
    const { containers, set, decodeEntities: decodes } = this.#options;
    const decode = (written: string): string =>
      decodes ? decodeEntities(written) : written;
    const line = containers && text !== ""
      ? readContainerOpening(text)
      : undefined;
    const written = line?.attributes ??
      (text === "" ? {} : readTagAttributes(text, name));
    const attributes: Record<string, string> = {};
    for (const [key, value] of Object.entries(written)) {
      setOwn(attributes, key, decode(value));
    }
    const label = line?.label === undefined ? null : decode(line.label);
    outlet.flush();
    this.#giveNotes(outlet.decided);
    const known = set.get(name)!;
    outlet.open({ text, name, attributes, label, colons }, known);
    this.#state.atStart = false;
    if (empty) this.#close("", "prose");
  }

  /** The open directive is over; `closer` is `null` when it never came. */
  #close(closer: string | null, kind: LineKind): void {
    const { name, levels } = this.#outlet.opened!;
    const hidden = kind === "prose"
      ? undefined
      : this.#options.containers
      ? `\n${":".repeat(levels[0]!)}`
      : `</${name}`;
    const breaks = closer !== null && kind !== "prose";
    // The line end of a container's line belongs to it.
    const atLineStart = breaks &&
      isLineEnd(closer.charCodeAt(closer.length - 1));
    this.#outlet.close(closer, hidden, (end) => {
      if (breaks) this.#marks.endFence(end, end + closer.length, atLineStart);
    });
    this.#forgetSpans();
    this.#look();
    if (!breaks) return;
    const rest = this.#work.reverse().map(({ text }) => text).join("");
    this.#work.length = 0;
    this.#tracker!.breakFence(rest, atLineStart);
  }

  /** Everything held for the open directive is text after all. */
  #disown(): void {
    this.#outlet.disown();
    this.#forgetSpans();
    this.#look();
  }

  /** Says which lines the tracker could not read, of those before an offset. */
  #giveNotes(before?: number): void {
    const notes = this.#tracker?.takeNotes(before) ?? [];
    for (const { message, start, end } of notes) {
      this.#outlet.emit({
        type: "warning",
        code: "limit",
        message,
        start,
        end,
      });
    }
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

  /** What follows from the state. */
  #look(): void {
    const { opened } = this.#outlet;
    const { set, caseInsensitive: fold } = this.#options;
    if (opened === null) {
      this.#known = undefined;
      this.#tags = { openers: set.names, closers: [], fold };
      this.#containers = { openers: set.names, closer: 0, fold };
      return;
    }
    const known = this.#known = set.get(opened.name)!;
    const own = set.fold(opened.name);
    const closers = [own];
    const openers = known.balanced ? [own] : [];
    if (opened.field !== null) {
      const name = set.fold(opened.field.name);
      closers.push(name);
      if (known.balanced) openers.push(name);
    } else if (opened.depth === 1) {
      for (const field of known.fields) openers.push(set.fold(field));
    }
    this.#tags = { openers, closers, fold };
    this.#tagsInCode = { openers: [], closers: [own], fold };
    const closer = Math.min(...opened.levels);
    this.#containers = { openers: known.balanced ? null : [], closer, fold };
    this.#containersInCode = { openers: [], closer, fold };
  }
}

const NO_TAGS: TagNames = { openers: [], closers: [], fold: false };
const NO_CONTAINERS: ContainerNames = { openers: [], closer: 0, fold: false };

const LF = 10;
const SPACE = 32;
const SLASH = 47;
const COLON = 58;
const LESS = 60;
const BACKSLASH = 92;
const TICK = 96;

/** Where something comes next; the text's length when it does not. */
function find(text: string, what: string, from: number): number {
  const at = text.indexOf(what, from);
  return at < 0 ? text.length : at;
}

function findLineEnd(text: string, from: number): number {
  let index = from;
  while (index < text.length && !isLineEnd(text.charCodeAt(index))) index++;
  return index;
}

/** Where the blanks from an index on end. */
function blanksOf(text: string, from: number): number {
  let index = from;
  while (index < text.length && isHtmlSpace(text.charCodeAt(index))) index++;
  return index;
}

/** Where the first `<` is that may begin a tag, from one on; the text's length when there is none. */
function findTag(text: string, tags: TagNames, from: number): number {
  let less = from;
  while (less < text.length && !mayBegin(tags, text.charCodeAt(less + 1))) {
    less = find(text, "<", less + 1);
  }
  return less;
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

function startCandidate(kind: LineKind, tag: TagState | null): Candidate {
  const line = tag === null ? startContainer() : null;
  return { pieces: [], length: 0, kind, tag, line, at: -1 };
}

function tagFound(candidate: Candidate, text: string): Found {
  const { name, closer, empty } = candidate.tag!;
  return { text, name, closer, empty, colons: 0 };
}

function lineFound(candidate: Candidate, text: string): Found {
  const { name, colons } = candidate.line!;
  return { text, name, closer: name === "", empty: false, colons };
}
