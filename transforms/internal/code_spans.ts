/** A run of backticks: position, length, and whether a back-slash escapes its first tick outside a span. */
type Run = [at: number, length: number, escaped: boolean];

/** A decided code span: from its opening run to behind its closing run. */
export type CodeSpan = readonly [start: number, end: number];

/** State of a {@linkcode CodeSpans} as plain data. */
export interface CodeSpansSnapshot {
  readonly position: number;
  readonly runs: readonly Run[];
  readonly run: Run | null;
  readonly literal: boolean;
  readonly escaping: boolean;
}

/**
 * Follows the backtick runs of prose and finds code spans as CommonMark does: a
 * run opens, the next run of the same length closes, over the lines of one
 * paragraph. A back-slash escapes the first tick of a run, but not inside a
 * span. Whether a run opens a span is known when its partner or the paragraph's
 * end comes: until then it is *open*, and text from there on is undecided.
 *
 * ```text
 *   nothing open ──run──▶ open ──equal run──▶ a span, nothing open
 *        ▲                  │
 *        └─ no later runs ──┴─ end of paragraph, or `limit` reached: the run is
 *                              literal, and the runs after it are looked at again
 * ```
 *
 * How to use it: give it all prose in order by `text` and every `paragraphEnd`
 * by `end`. Positions count code units from 0, the first one given. After every
 * call
 * - everything before `settled` is decided for good,
 * - `spans` holds the spans decided by this call, in order; what is settled and
 *   in none of them is no code,
 * - `expired` holds the runs that this call gave up because of `limit`.
 *
 * To ask about one place, hold it until `settled` is beyond it; it is code if a
 * span of that call or a call between covered it. What is then cut out of the
 * text (a directive) takes what was read after it along: `reset` to its end.
 *
 * Memory is bounded by `limit`, time is linear.
 */
export class CodeSpans {
  readonly #limit: number;
  #position = 0;
  /** The open run, and those after it. */
  #runs: Run[] = [];
  /** A run at the end of the text so far: its length is not known yet. */
  #run: Run | null = null;
  /** That run is longer than the limit already: it is no code whatever follows. */
  #literal = false;
  /** The text so far ends in an odd number of back-slashes. */
  #escaping = false;
  #spans: CodeSpan[] = [];
  #expired: number[] = [];

  /** @param limit How long a span may be, in code units, runs included. */
  constructor(limit: number = 4096, snapshot?: CodeSpansSnapshot) {
    this.#limit = limit;
    if (snapshot === undefined) return;
    this.#position = snapshot.position;
    this.#runs = snapshot.runs.map((run) => [...run]);
    this.#run = snapshot.run === null ? null : [...snapshot.run];
    this.#literal = snapshot.literal;
    this.#escaping = snapshot.escaping;
  }

  /** Code units read so far. */
  get position(): number {
    return this.#position;
  }

  /** Where the run begins that may yet open a span. */
  get open(): number | undefined {
    const run = this.#runs[0];
    return run === undefined ? undefined : opensAt(run);
  }

  /** Everything before this position is decided. */
  get settled(): number {
    return this.open ?? (this.#literal ? undefined : this.#run?.[0]) ??
      this.#position;
  }

  /** The spans that the last call decided. */
  get spans(): readonly CodeSpan[] {
    return this.#spans;
  }

  /** The runs that the last call gave up because of the limit. */
  get expired(): readonly number[] {
    return this.#expired;
  }

  /** The state as plain data. */
  snapshot(): CodeSpansSnapshot {
    return {
      position: this.#position,
      runs: this.#runs.map((run) => [...run]),
      run: this.#run === null ? null : [...this.#run],
      literal: this.#literal,
      escaping: this.#escaping,
    };
  }

  /** The next prose of the paragraph. */
  text(text: string): void {
    this.#clear();
    const start = this.#position;
    let at = 0;
    if (this.#run !== null && text !== "") {
      while (text.charCodeAt(at) === BACKTICK) at++;
      this.#run[1] += at;
      if (at < text.length) this.#complete();
    }
    for (;;) {
      const found = text.indexOf("`", at);
      if (found < 0) break;
      let end = found + 1;
      while (text.charCodeAt(end) === BACKTICK) end++;
      this.#run = [start + found, end - found, this.#isEscaped(text, found)];
      at = end;
      if (end < text.length) this.#complete();
    }
    if (text !== "") this.#escaping = this.#isEscaped(text, text.length);
    this.#position = start + text.length;
    this.#expire(this.#position);
  }

  /** Something in the line that is no prose, and holds no ticks that count. */
  skip(length: number): void {
    this.#clear();
    this.#complete();
    this.#escaping = false;
    this.#position += length;
    this.#expire(this.#position);
  }

  /** The paragraph is over: everything is decided. */
  end(): void {
    this.#clear();
    this.#complete();
    while (this.#runs.length > 0) this.#giveUp();
    this.#escaping = false;
  }

  /** Forgets everything read after `position`, which is settled, and goes on there. */
  reset(position: number): void {
    this.#clear();
    this.#position = position;
    this.#runs = [];
    this.#run = null;
    this.#literal = false;
    this.#escaping = false;
  }

  #clear(): void {
    if (this.#spans.length > 0) this.#spans = [];
    if (this.#expired.length > 0) this.#expired = [];
  }

  /** Whether an odd number of back-slashes stands before an index. */
  #isEscaped(text: string, index: number): boolean {
    let at = index;
    while (at > 0 && text.charCodeAt(at - 1) === BACK_SLASH) at--;
    const odd = (index - at) % 2 === 1;
    return at === 0 ? odd !== this.#escaping : odd;
  }

  /** The run at work has its full length. */
  #complete(): void {
    const run = this.#run;
    if (run === null) return;
    this.#run = null;
    const literal = this.#literal;
    this.#literal = false;
    const end = run[0] + run[1];
    this.#expire(end);
    if (literal) return;
    const open = this.#runs[0];
    if (open === undefined) {
      if (opensWith(run) > 0) this.#runs.push(run);
    } else if (opensWith(open) === run[1]) {
      this.#spans.push([opensAt(open), end]);
      this.#runs = [];
    } else this.#runs.push(run);
  }

  #expire(position: number): void {
    for (;;) {
      const open = this.open;
      if (open === undefined) break;
      if (open + this.#limit >= position) return;
      this.#expired.push(open);
      this.#giveUp();
    }
    // A run that never ends would be held without a limit.
    const run = this.#run;
    if (
      run !== null && !this.#literal && opensAt(run) + this.#limit < position
    ) {
      this.#expired.push(opensAt(run));
      this.#literal = true;
    }
  }

  /** The open run is literal: looks for the next one that opens. */
  #giveUp(): void {
    const runs = this.#runs;
    let at = 1;
    while (at < runs.length) {
      const run = runs[at]!;
      const length = opensWith(run);
      if (length > 0) {
        let partner = at + 1;
        while (partner < runs.length && runs[partner]![1] !== length) partner++;
        if (partner === runs.length) break;
        const closing = runs[partner]!;
        this.#spans.push([opensAt(run), closing[0] + closing[1]]);
        at = partner;
      }
      at++;
    }
    this.#runs = runs.slice(at);
  }
}

const BACKTICK = 0x60;
const BACK_SLASH = 0x5c;

/** How many ticks of a run can open: an escaped tick is literal. */
function opensWith(run: Run): number {
  return run[2] ? run[1] - 1 : run[1];
}

function opensAt(run: Run): number {
  return run[2] ? run[0] + 1 : run[0];
}
