import { isBlank, isLineEnd } from "./code_units.ts";
/** The state of a {@linkcode QuoteState} as plain data. */
export interface QuoteStateSnapshot {
  first: number;
  indent: number;
  lead: number;
  block: boolean;
  diff: boolean;
  mark: number;
  fence: number;
  ticks: number;
  paragraphTicks: number;
  run: number;
  runFirst: boolean;
  escaped: boolean;
  quotes: boolean;
  plainQuotes: boolean;
  typographic: number;
  paragraphQuotes: boolean;
  paragraphTypographic: number;
  afterReturn: boolean;
}

/** What a call may be quoted by. */
export type Quoting = "fence" | "code" | "block" | "diff" | "quotes";

const TICK = 0x60;
const TILDE = 0x7e;
const BACKSLASH = 0x5c;
const PLUS = 0x2b;
const MINUS = 0x2d;
const ARROW = 0x2192;

// What may still make the line one of a block quote.
const START = 0;
const BULLET = 1;
const NUMBER = 2;
const OVER = 3;

/** Columns from which on a fence is none, but code. */
const DEEP = 4;

/**
 * What quotes a place in a line, from nothing but the line so far: a block quote's
 * mark, also in list items, a diff's sign right before it, a line's number with a
 * tab behind it, an open run of backticks, an odd number of double quotes, an open typographic quote. Of earlier lines it knows only what is still
 * open in the paragraph, and a fence that is too deep to be one: that is code too,
 * as long as lines are as deep.
 *
 * ```
 *   ticks            0 ─run of n─► n ─run of n─► 0      a line end sets it to 0
 *   paragraphTicks   the same, set to 0 by a blank line
 *   quotes           even ⇄ odd                         a line end sets it to even
 *   plainQuotes      the same without those behind a back-slash
 *   paragraphQuotes  the same, set to even by a blank line; typographic ones likewise
 *   first            the line's first character that is no blank, 0 while there is none
 *   fence            0 ⇄ its character, 0 from the next line that is not deep
 * ```
 */
export class QuoteState {
  readonly #state: QuoteStateSnapshot;

  constructor(snapshot?: QuoteStateSnapshot) {
    this.#state = snapshot ?? {
      first: 0,
      indent: 0,
      lead: START,
      block: false,
      diff: false,
      mark: 0,
      fence: 0,
      ticks: 0,
      paragraphTicks: 0,
      run: 0,
      runFirst: false,
      escaped: false,
      quotes: false,
      plainQuotes: false,
      typographic: 0,
      paragraphQuotes: false,
      paragraphTypographic: 0,
      afterReturn: false,
    };
  }

  /** Whether nothing but blanks came on this line. */
  get blank(): boolean {
    return this.#state.first === 0;
  }

  /** Whether the line may have begun with a fence that goes on. */
  get inMark(): boolean {
    return this.#state.mark > 0;
  }

  /** Whether a run of backticks is open on this line. */
  get inTicks(): boolean {
    this.#endRun();
    return this.#state.ticks !== 0;
  }

  /** The characters that end what is open in the paragraph. */
  get closers(): string {
    this.#endRun();
    const { paragraphTicks, paragraphQuotes, paragraphTypographic } =
      this.#state;
    return (paragraphTicks === 0 ? "" : "`") + (paragraphQuotes ? '"' : "") +
      String.fromCharCode(...OPENERS.get(paragraphTypographic) ?? []);
  }

  /** What quotes the next character. */
  get quoting(): Quoting | undefined {
    const { block, fence, first, indent } = this.#state;
    if (block) return "block";
    if (this.#state.diff || this.#afterSign) return "diff";
    if (fence !== 0 && (first !== 0 || indent >= DEEP)) return "fence";
    if (this.inTicks) return "code";
    const { quotes, plainQuotes, typographic } = this.#state;
    return quotes || plainQuotes || typographic !== 0 ? "quotes" : undefined;
  }

  /** Whether the line is nothing but the sign of a diff so far. A bullet has a blank behind it. */
  get #afterSign(): boolean {
    const { first, lead } = this.#state;
    return lead === BULLET && (first === PLUS || first === MINUS);
  }

  /** The next text. */
  read(text: string): void {
    let passed = lastStart(text);
    if (passed > 0) this.#forget();
    for (let at = passed; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit < 128 ? SPECIAL[unit] === 0 : !isTypographic(unit)) continue;
      this.#pass(text, passed, at);
      this.#special(unit);
      passed = at + 1;
    }
    this.#pass(text, passed, text.length);
  }

  /** The backticks of this line belong to something that is over. */
  endTicks(): void {
    this.#endRun();
    this.#state.ticks = this.#state.mark = 0;
  }

  /** The next text, of which only the lines count: it is code. */
  readCode(text: string): void {
    this.#pass("x", 0, 1);
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (isLineEnd(unit)) this.#special(unit);
    }
  }

  #forget(): void {
    const state = this.#state;
    this.#newLine();
    state.paragraphTicks = state.run = state.paragraphTypographic = 0;
    state.fence = 0;
    state.runFirst = state.paragraphQuotes = state.afterReturn = false;
  }

  #newLine(): void {
    const state = this.#state;
    state.first =
      state.indent =
      state.mark =
      state.ticks =
      state.typographic =
        0;
    state.lead = START;
    state.block =
      state.diff =
      state.escaped =
      state.quotes =
      state.plainQuotes =
        false;
  }

  /** Looks at text on one line that holds nothing special, or at its beginning. */
  #pass(text: string, from: number, to: number): void {
    const state = this.#state;
    if (from >= to) return;
    if (state.run > 0) this.#endRun();
    if (state.mark > 0) this.#endMark();
    state.afterReturn = state.escaped = false;
    for (let at = from; state.lead !== OVER && at < to; at++) {
      this.#lead(text.charCodeAt(at));
    }
  }

  /** Takes a code unit before which the line may still turn out to be one of a block quote. */
  #lead(unit: number): void {
    const state = this.#state;
    if (isBlank(unit)) {
      if (state.first === 0) {
        state.indent += unit === 0x20 ? 1 : DEEP - state.indent % DEEP;
      } else if (state.lead === NUMBER) {
        // A listing numbers its lines so.
        state.diff ||= unit === 0x09;
        state.lead = OVER;
      } else state.lead = START;
      return;
    }
    if (state.first === 0) this.#first(unit);
    const isDigit = unit >= 0x30 && unit <= 0x39;
    switch (state.lead) {
      case START:
        if (unit === 0x3e) state.block = true;
        state.lead = isDigit
          ? NUMBER
          : unit === 0x2d || unit === 0x2a || unit === 0x2b
          ? BULLET
          : OVER;
        break;
      case NUMBER:
        if (!isDigit) {
          state.diff ||= unit === ARROW;
          state.lead = unit === 0x2e || unit === 0x29 ? BULLET : OVER;
        }
        break;
      default:
        // Markup: else it is a word with a dash.
        if (
          this.#afterSign && (unit === 0x3c || unit === 0x5b || unit === 0x5d)
        ) {
          state.diff = true;
        }
        state.lead = OVER;
    }
  }

  /** The line's first character. */
  #first(unit: number): void {
    const state = this.#state;
    state.first = unit;
    if (state.indent < DEEP) state.fence = 0;
  }

  /** Takes the next code unit, which is special. */
  #special(unit: number): void {
    const state = this.#state;
    if (unit === TICK || unit === TILDE) {
      if (state.first === 0 || state.mark > 0 && unit === state.first) {
        state.mark++;
      } else this.#endMark();
    } else if (state.mark > 0) this.#endMark();
    if (unit === TICK) {
      if (state.run === 0) state.runFirst = state.first === 0;
      state.run++;
    } else {
      if (state.run > 0) this.#endRun();
      if (isLineEnd(unit)) {
        this.#endLine(unit);
        return;
      }
      if (unit === 0x22) {
        state.quotes = !state.quotes;
        if (!state.escaped) state.plainQuotes = !state.plainQuotes;
        state.paragraphQuotes = !state.paragraphQuotes;
      } else if (unit !== BACKSLASH && unit !== TILDE) {
        state.typographic = afterQuote(state.typographic, unit);
        state.paragraphTypographic = afterQuote(
          state.paragraphTypographic,
          unit,
        );
      }
    }
    state.escaped = unit === BACKSLASH && !state.escaped;
    state.afterReturn = false;
    state.lead = OVER;
    if (state.first === 0) this.#first(unit);
  }

  snapshot(): QuoteStateSnapshot {
    return this.#state;
  }

  #endRun(): void {
    const state = this.#state;
    const { run } = state;
    if (run === 0) return;
    state.run = 0;
    if (state.ticks === 0) state.ticks = run;
    else if (state.ticks === run) state.ticks = 0;
    // Three or more at the beginning of a line are a fence, no code span.
    if (run >= 3 && state.runFirst) return;
    if (state.paragraphTicks === 0) state.paragraphTicks = run;
    else if (state.paragraphTicks === run) state.paragraphTicks = 0;
  }

  /** What the line begins with was a fence, if it is long enough. */
  #endMark(): void {
    const state = this.#state;
    if (state.mark >= 3 && state.indent >= DEEP) {
      if (state.fence === 0) state.fence = state.first;
      else if (state.fence === state.first) state.fence = 0;
    }
    state.mark = 0;
  }

  #endLine(unit: number): void {
    const state = this.#state;
    if (unit === 0x0a && state.afterReturn) {
      state.afterReturn = false;
      return;
    }
    state.afterReturn = unit === 0x0d;
    if (state.first === 0) {
      state.paragraphTicks = state.paragraphTypographic = 0;
      state.paragraphQuotes = false;
    }
    this.#newLine();
  }
}

/** More blank lines than these with nothing at the margin behind them are not worth a look. */
const MOST_BLANKS = 16;

/**
 * Where the last line begins that has a blank line before it and is not deep:
 * nothing is left there of what was before. 0 without one.
 */
function lastStart(text: string): number {
  let at = text.lastIndexOf("\n\n");
  for (let blanks = 0; at >= 0 && blanks < MOST_BLANKS; blanks++) {
    let to = at + 2;
    while (to < at + 2 + DEEP && text.charCodeAt(to) === 0x20) to++;
    // Not a number behind the end, where more blanks may come.
    if (to < at + 2 + DEEP && text.charCodeAt(to) > 0x20) return at + 2;
    at = at === 0 ? -1 : text.lastIndexOf("\n\n", at - 1);
  }
  return 0;
}

/** By code unit: 1 for those that are special. */
const SPECIAL: Uint8Array = new Uint8Array(128);
for (const unit of [TICK, TILDE, BACKSLASH, 0x22, 0x0a, 0x0d]) {
  SPECIAL[unit] = 1;
}

/** Typographic quotes that open, with those that close them. */
const OPENERS: ReadonlyMap<number, readonly number[]> = new Map([
  [0x2018, [0x2019]],
  [0x201a, [0x2018, 0x2019]],
  [0x201c, [0x201d]],
  [0x201e, [0x201c, 0x201d]],
  [0xab, [0xbb]],
  [0xbb, [0xab]],
  [0x2039, [0x203a]],
  [0x203a, [0x2039]],
  [0x300c, [0x300d]],
  [0x300e, [0x300f]],
]);

/** The quote that is open behind this code unit, when that one was open before it. */
function afterQuote(open: number, unit: number): number {
  if (open === 0) return OPENERS.has(unit) ? unit : 0;
  return OPENERS.get(open)!.includes(unit) ? 0 : open;
}

function isTypographic(unit: number): boolean {
  return unit === 0xab || unit === 0xbb || unit >= 0x2018 && unit <= 0x201e ||
    unit === 0x2039 || unit === 0x203a ||
    unit >= 0x300c && unit <= 0x300f;
}
