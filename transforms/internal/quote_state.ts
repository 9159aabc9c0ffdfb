/** The state of a {@linkcode QuoteState} as plain data. */
export interface QuoteStateSnapshot {
  first: number;
  ticks: number;
  paragraphTicks: number;
  run: number;
  runFirst: boolean;
  quotes: boolean;
  typographic: number;
  paragraphQuotes: boolean;
  paragraphTypographic: number;
  afterReturn: boolean;
}

/** What a call may be quoted by. */
export type Quoting = "code" | "block" | "quotes";

const TICK = 0x60;

/**
 * What quotes a place in a line, from nothing but the line so far: a block quote's
 * mark, an open run of backticks, an odd number of double quotes, an open
 * typographic quote. Of earlier lines it knows only what is still open in the
 * paragraph.
 *
 * ```
 *   ticks            0 ─run of n─► n ─run of n─► 0      a line end sets it to 0
 *   paragraphTicks   the same, set to 0 by a blank line
 *   quotes           even ⇄ odd                         a line end sets it to even
 *   paragraphQuotes  the same, set to even by a blank line; typographic ones likewise
 *   first            the line's first character that is no blank, 0 while there is none
 * ```
 */
export class QuoteState {
  readonly #state: QuoteStateSnapshot;

  constructor(snapshot?: QuoteStateSnapshot) {
    this.#state = snapshot ?? {
      first: 0,
      ticks: 0,
      paragraphTicks: 0,
      run: 0,
      runFirst: false,
      quotes: false,
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
    const state = this.#state;
    if (state.first === 0x3e) return "block";
    if (this.inTicks) return "code";
    return state.quotes || state.typographic !== 0 ? "quotes" : undefined;
  }

  /** The next text. */
  read(text: string): void {
    // Behind a blank line nothing is left of what was before.
    const blank = text.lastIndexOf("\n\n");
    if (blank >= 0) this.#forget();
    let passed = blank < 0 ? 0 : blank + 2;
    for (let at = passed; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit < 128 ? SPECIAL[unit] === 0 : !isTypographic(unit)) continue;
      this.#pass(text, passed, at);
      this.#special(unit);
      passed = at + 1;
    }
    this.#pass(text, passed, text.length);
  }

  /** The next text, of which only the lines count: it is code. */
  readCode(text: string): void {
    this.#pass("x", 0, 1);
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit === 0x0a || unit === 0x0d) this.#special(unit);
    }
  }

  #forget(): void {
    const state = this.#state;
    state.first =
      state.ticks =
      state.paragraphTicks =
      state.run =
        0;
    state.typographic = state.paragraphTypographic = 0;
    state.runFirst =
      state.quotes =
      state.paragraphQuotes =
      state.afterReturn =
        false;
  }

  /** Looks at text on one line that holds nothing special, or at its beginning. */
  #pass(text: string, from: number, to: number): void {
    const state = this.#state;
    if (from >= to) return;
    if (state.run > 0) this.#endRun();
    state.afterReturn = false;
    for (let at = from; state.first === 0 && at < to; at++) {
      const unit = text.charCodeAt(at);
      if (unit !== 0x20 && unit !== 0x09) state.first = unit;
    }
  }

  /** Takes the next code unit, which is special. */
  #special(unit: number): void {
    const state = this.#state;
    if (unit === TICK) {
      if (state.run === 0) state.runFirst = state.first === 0;
      state.run++;
    } else {
      if (state.run > 0) this.#endRun();
      if (unit === 0x0a || unit === 0x0d) {
        this.#endLine(unit);
        return;
      }
      if (unit === 0x22) {
        state.quotes = !state.quotes;
        state.paragraphQuotes = !state.paragraphQuotes;
      } else {
        state.typographic = afterQuote(state.typographic, unit);
        state.paragraphTypographic = afterQuote(
          state.paragraphTypographic,
          unit,
        );
      }
    }
    state.afterReturn = false;
    if (state.first === 0) state.first = unit;
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
    state.first = 0;
    state.ticks = 0;
    state.quotes = false;
    state.typographic = 0;
  }
}

/** By code unit: 1 for those that are special. */
const SPECIAL: Uint8Array = new Uint8Array(128);
for (const unit of [TICK, 0x22, 0x0a, 0x0d]) SPECIAL[unit] = 1;

/** Typographic quotes that open, with those that close them. */
const OPENERS: ReadonlyMap<number, readonly number[]> = new Map([
  [0x201c, [0x201d]],
  [0x201e, [0x201c, 0x201d]],
  [0xab, [0xbb]],
  [0xbb, [0xab]],
  [0x300c, [0x300d]],
  [0x300e, [0x300f]],
]);

/** The quote that is open behind this code unit, when that one was open before it. */
function afterQuote(open: number, unit: number): number {
  if (open === 0) return OPENERS.has(unit) ? unit : 0;
  return OPENERS.get(open)!.includes(unit) ? 0 : open;
}

function isTypographic(unit: number): boolean {
  return unit === 0xab || unit === 0xbb || unit >= 0x201c && unit <= 0x201e ||
    unit >= 0x300c && unit <= 0x300f;
}
