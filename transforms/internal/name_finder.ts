/** Keys under which an object holds the name of the tool it calls. */
export const NAME_KEYS: readonly string[] = ["name", "tool_name"];

/** A name that has not come within so many code units is waited for no longer. */
const LONGEST_SEARCH = 4_096;

/** The state of a {@linkcode NameFinder} as plain data. */
export interface NameFinderSnapshot {
  looked: number;
  word: string;
  key: string;
  isValue: boolean;
  over: boolean;
  found: boolean;
}

/**
 * Finds the tool's name in an object that is being scanned, so that a call of an
 * unknown tool need not be held until its end. It looks at strings of the
 * outermost level only, and gives up where it would have to know more (escapes,
 * keys without quotes): the whole object decides then.
 */
export class NameFinder {
  #looked: number;
  /** The string at hand, or the last one. */
  #word: string;
  /** The key before the colon. */
  #key: string;
  #isValue: boolean;
  #over: boolean;
  #found: boolean;

  constructor(snapshot?: NameFinderSnapshot) {
    this.#looked = snapshot?.looked ?? 0;
    this.#word = snapshot?.word ?? "";
    this.#key = snapshot?.key ?? "";
    this.#isValue = snapshot?.isValue ?? false;
    this.#over = snapshot?.over ?? false;
    this.#found = snapshot?.found ?? false;
  }

  /** Whether there is nothing more to find. */
  get over(): boolean {
    return this.#over;
  }

  /** The name, when it was found. */
  get name(): string | undefined {
    return this.#found ? this.#word : undefined;
  }

  /**
   * Looks at the next code unit.
   *
   * @param unit The code unit.
   * @param wasInString Whether it stands inside a string, or ends one.
   * @param inString Whether what follows stands inside a string.
   * @param depth How many brackets are open before it.
   */
  push(
    unit: string,
    wasInString: boolean,
    inString: boolean,
    depth: number,
  ): void {
    if (++this.#looked > LONGEST_SEARCH) this.#over = true;
    if (depth !== 1) return;
    if (!wasInString) {
      if (inString) this.#word = "";
      else if (unit === ":") {
        this.#key = this.#word;
        this.#isValue = true;
      } else if (unit === ",") this.#isValue = false;
      return;
    }
    if (inString) {
      if (unit === "\\" || this.#word.length >= 256) this.#over = true;
      this.#word += unit;
    } else if (this.#isValue && NAME_KEYS.includes(this.#key)) {
      this.#found = true;
      this.#over = true;
    }
  }

  snapshot(): NameFinderSnapshot {
    return {
      looked: this.#looked,
      word: this.#word,
      key: this.#key,
      isValue: this.#isValue,
      over: this.#over,
      found: this.#found,
    };
  }
}
