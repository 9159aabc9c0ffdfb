/**
 * Making tool results fit a model's window before a request is sent.
 *
 * @module
 */

import { estimateTokens } from "./estimate_tokens.ts";
import {
  type MessageView,
  viewMessage,
  withResultTexts,
} from "./internal/message_view.ts";
import { findPairFaults, repairPairFaults } from "./internal/pair_results.ts";
import { truncateMiddle, type TruncationMarker } from "./truncate_middle.ts";

/** Options of {@linkcode fitToolResults}. */
export interface FitToolResultsOptions {
  /** How much the messages may have, with what is reserved, in the counter's unit (tokens). */
  budget: number;
  /**
   * Counts the tokens of a text, at once or by a promise. It is given long texts: several messages
   * joined, up to 2^20 UTF-16 code units.
   *
   * @default {estimateTokens}
   */
  count?: (text: string) => number | PromiseLike<number>;
  /**
   * No result is shortened below this, in UTF-16 code units.
   *
   * @default {1000}
   */
  minChars?: number;
  /**
   * What the request has besides: system prompt, tool definitions, room for the answer. The numbers
   * are added up.
   *
   * @default {0}
   */
  reserve?: number | Readonly<Record<string, number>>;
  /**
   * What stands for what is gone. See {@linkcode TruncateMiddleOptions.marker}.
   */
  marker?: TruncationMarker;
  /**
   * Which end of a result is kept. See {@linkcode TruncateMiddleOptions.keep}.
   *
   * @default {"both"}
   */
  keep?: "head" | "tail" | "both";
  /**
   * What an image costs, and every other block that is no text. Its data is never counted as text.
   *
   * @default {1600, or 0 with a counter of your own}
   */
  imageCost?: number;
  /**
   * What a message costs besides its texts.
   *
   * @default {4, or 0 with a counter of your own}
   */
  messageCost?: number;
  /**
   * Whether to mend pairs: a result without its call is taken out, a call without its result gets
   * {@linkcode repairText}. Without it they are only reported.
   *
   * @default {false}
   */
  repairPairs?: boolean;
  /**
   * The result that a call without one gets.
   *
   * @default {"No result: the call was interrupted"}
   */
  repairText?: string;
}

/** A result that was shortened. */
export interface ShortenedResult {
  /** The call it answers. */
  toolCallId: string;
  /** How long it was, in UTF-16 code units. */
  from: number;
  /** How long it is. */
  to: number;
}

/** What {@linkcode fitToolResults} gives. */
export interface FittedMessages<Message> {
  /** The messages: the very array given when nothing had to change. */
  messages: readonly Message[];
  /** What they have, without what is reserved. */
  total: number;
  /** The results that were shortened, in order. */
  shortened: ShortenedResult[];
  /** Ids of the results that were not. */
  untouched: string[];
  /** Ids of calls without a result. */
  missingResults: string[];
  /** Ids of results without a call. */
  orphans: string[];
}

/** One of the things that take the most room. */
export interface RoomTaken {
  /** Index of the message. */
  message: number;
  /** What it is. */
  kind: "text" | "tool-result";
  /** Which call the result answers. */
  toolCallId?: string;
  /** How long it is, with every result as short as it may get, in UTF-16 code units. */
  chars: number;
}

/** What an {@linkcode OverBudgetError} is made of. */
export interface OverBudgetDetails {
  /** The budget that was given. */
  budget: number;
  /** How much of it was reserved. */
  reserved: number;
  /** What the messages have with every result as short as it may get. */
  needed: number;
  /** What takes the most room, the largest first. */
  largest: readonly RoomTaken[];
}

/** Messages do not fit the budget, however short the tool results are made. */
export class OverBudgetError extends Error {
  /** Always `"OverBudgetError"`. */
  override readonly name: string = "OverBudgetError";
  /** The budget that was given. */
  readonly budget: number;
  /** How much of it was reserved. */
  readonly reserved: number;
  /** What the messages have with every result as short as it may get. */
  readonly needed: number;
  /** By how much that is too much. */
  readonly over: number;
  /** What takes the most room, the largest first; at most ten. */
  readonly largest: readonly RoomTaken[];

  /**
   * Makes the error of some numbers.
   *
   * @param details What its fields of the same names say.
   */
  constructor(details: OverBudgetDetails) {
    const { budget, reserved, needed, largest } = details;
    const over = needed + reserved - budget;
    const most = largest.slice(0, 3).map((one) =>
      `message ${one.message} (${
        one.kind === "text" ? "text" : `result of "${one.toolCallId}"`
      }, ${one.chars} characters)`
    );
    super(
      `Cannot fit the messages into ${budget} tokens: with every tool result ` +
        `shortened they need ${needed}, ${reserved} are reserved, that is ` +
        `${over} too many${
          most.length === 0 ? "" : `; the largest are ${most.join(", ")}`
        }; drop or summarise some, or raise the budget`,
    );
    this.budget = budget;
    this.reserved = reserved;
    this.needed = needed;
    this.over = over;
    this.largest = largest;
  }
}

/** How much text a counter is given at once. */
const LONGEST_TEXT = 1_048_576;

/** How many texts are counted to say by how much the budget is exceeded. */
const MOST_TEXTS = 64;

/** How often the results are shortened anew to come near the budget. */
const MOST_ROUNDS = 10;

/** Near enough to the budget. */
const NEAR = 0.97;

/**
 * Shortens tool results until a request fits the model's window. Backends that
 * trim a request themselves may part a call from its result, and then refuse it.
 *
 * The largest result goes first, down to `minChars` if need be, then the next; of
 * equal ones the oldest. Head and tail are kept ({@linkcode truncateMiddle}).
 * Nothing else is touched, so pairs stay pairs. Messages may be Anthropic's,
 * OpenAI's (Chat Completions or Responses), or those of `vscode.lm`; they are not
 * changed but copied where needed.
 *
 * What counts: every text; name and input (as JSON) of calls; the text of
 * results; blocks of unknown types as JSON; `imageCost` and `messageCost`. The texts
 * are counted joined, in order, in as few calls as possible: a few dozen for
 * 50 MB, none that was made before.
 *
 * The promise rejects with an {@linkcode OverBudgetError} when it does not
 * fit even so (nothing should be sent then), and with whatever the
 * counter throws. A `RangeError` tells of options that make no sense, a `TypeError` of a counter
 * that gives no number. Pure and idempotent.
 *
 * @typeParam Message A message, of any of these kinds.
 * @param messages The messages.
 * @param options See {@linkcode FitToolResultsOptions}.
 * @returns The messages that fit, and what was done.
 *
 * @example
 * ```ts
 * import { fitToolResults, OverBudgetError } from "@millrace/millrace";
 *
 * const messages = [
 *   { role: "user", content: "Read the log" },
 *   { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "read", input: {} }] },
 *   {
 *     role: "user",
 *     content: [{ type: "tool_result", tool_use_id: "t1", content: "line\n".repeat(10_000) }],
 *   },
 * ];
 * const fitted = await fitToolResults(messages, { budget: 2_000 });
 * if (fitted.total > 2_000 || fitted.shortened[0]?.toolCallId !== "t1") throw new Error();
 *
 * try {
 *   await fitToolResults(messages, { budget: 100 });
 *   throw new Error("unreachable");
 * } catch (error) {
 *   if (!(error instanceof OverBudgetError)) throw error;
 * }
 * ```
 */
export async function fitToolResults<Message>(
  messages: readonly Message[],
  options: FitToolResultsOptions,
): Promise<FittedMessages<Message>> {
  const { budget, minChars = 1_000, repairPairs = false } = options;
  const reserved = sumOf(options.reserve ?? 0);
  if (Number.isNaN(budget) || typeof budget !== "number") {
    throw new RangeError(`Cannot use budget "${budget}": it must be a number`);
  }
  for (
    const [name, value] of Object.entries({
      minChars,
      reserve: reserved,
      imageCost: options.imageCost ?? 0,
      messageCost: options.messageCost ?? 0,
    })
  ) {
    if (!(value >= 0)) {
      throw new RangeError(
        `Cannot use ${name} "${value}": it must be 0 or more`,
      );
    }
  }
  let views = messages.map(viewMessage);
  const faults = findPairFaults(views);
  let given = messages;
  if (
    repairPairs && (faults.missing.length > 0 || faults.orphans.length > 0)
  ) {
    given = repairPairFaults(
      messages,
      views,
      faults,
      options.repairText ?? "No result: the call was interrupted",
    );
    views = given.map(viewMessage);
  }
  const fitting = new Fitting(views, budget - reserved, options);
  const total = await fitting.fit();
  if (total === undefined) {
    throw new OverBudgetError({
      budget,
      reserved,
      needed: await fitting.needed(),
      largest: fitting.largest(),
    });
  }
  const changes = fitting.changes();
  return {
    messages: changes.size === 0 ? given : given.map((message, index) => {
      const texts = changes.get(index);
      return texts === undefined ? message : withResultTexts(message, texts);
    }),
    total,
    shortened: fitting.shortened(),
    untouched: fitting.untouched(),
    missingResults: faults.missing.map(({ id }) => id),
    orphans: faults.orphans.map(({ id }) => id),
  };
}

/** A result while it is being fitted. */
interface Result {
  id: string;
  message: number;
  index: number;
  texts: readonly string[];
  chars: number;
  /** As short as it may get. */
  floor: number;
  /** What its texts are now. */
  now: readonly string[];
}

class Fitting {
  readonly #views: readonly MessageView[];
  readonly #available: number;
  readonly #options: FitToolResultsOptions;
  /** In the order of the messages. */
  readonly #results: Result[] = [];
  /** The largest first. */
  readonly #bySize: Result[];
  /** Every text that is not a result's. */
  readonly #fixed: string[];
  /** What is not text. */
  readonly #costs: number;
  readonly #counted: Map<string, number> = new Map();

  constructor(
    views: readonly MessageView[],
    available: number,
    options: FitToolResultsOptions,
  ) {
    this.#views = views;
    this.#available = available;
    this.#options = options;
    const own = options.count !== undefined;
    const imageCost = options.imageCost ?? (own ? 0 : 1_600);
    const messageCost = options.messageCost ?? (own ? 0 : 4);
    this.#costs = views.reduce(
      (sum, view) => sum + view.images * imageCost + messageCost,
      0,
    );
    this.#fixed = views.flatMap((view) => view.texts);
    const minChars = Math.ceil(options.minChars ?? 1_000);
    for (const [message, view] of views.entries()) {
      for (const [index, { id, texts }] of view.results.entries()) {
        const chars = lengthOf(texts);
        // More where cuts may have to move out of a pair, or to divide among texts.
        const floor = minChars +
          (texts.length > 1 || texts.some(hasPairs) ? 2 * texts.length : 0);
        this.#results.push({
          id,
          message,
          index,
          texts,
          chars,
          floor: Math.min(chars, floor),
          now: texts,
        });
      }
    }
    this.#bySize = [...this.#results].sort((a, b) => b.chars - a.chars);
  }

  /** Shortens as little as needed; `undefined` when the shortest is too much. */
  async fit(): Promise<number | undefined> {
    const available = this.#available;
    if (!(available > 0)) {
      this.#keep(0);
      return undefined;
    }
    const whole = await this.#total();
    if (whole <= available) return whole;
    this.#keep(0);
    const least = this.#chars();
    let total = await this.#total();
    if (total > available) return undefined;
    // Between `low`, which fits, and `high`, which does not, in characters kept
    // of the results beyond the shortest.
    let low = 0;
    let high = this.#results.reduce(
      (sum, one) => sum + one.chars - one.floor,
      0,
    );
    let rate = Math.max(total - this.#costs, 1) /
      Math.max(1, least + lengthOf(this.#fixed));
    for (
      let round = 0;
      round < MOST_ROUNDS && high - low > 1 && total < available * NEAR;
      round++
    ) {
      const guess = low + Math.floor((available - total) / rate);
      // Where the guess is no help, halve.
      const kept = guess > low && guess < high ? guess : (low + high) >> 1;
      this.#keep(kept);
      const next = await this.#total();
      if (next > available) {
        high = kept;
        rate *= 1.25;
      } else {
        if (next > total && kept > low) rate = (next - total) / (kept - low);
        low = kept;
        total = next;
      }
    }
    this.#keep(low);
    return total;
  }

  /** What the shortest messages have, exactly unless they are very long. */
  async needed(): Promise<number> {
    let sum = this.#costs;
    let counted = 0;
    let texts = 0;
    for (const text of this.#joined()) {
      if (texts++ === MOST_TEXTS) {
        const all = this.#chars() + lengthOf(this.#fixed);
        return Math.ceil(this.#costs + (sum - this.#costs) / counted * all);
      }
      sum += await this.#count(text);
      counted += text.length;
    }
    return sum;
  }

  largest(): RoomTaken[] {
    const all: RoomTaken[] = this.#results.map((one) => ({
      message: one.message,
      kind: "tool-result",
      toolCallId: one.id,
      chars: lengthOf(one.now),
    }));
    for (const [message, view] of this.#views.entries()) {
      const chars = lengthOf(view.texts);
      if (chars > 0) all.push({ message, kind: "text", chars });
    }
    return all.sort((a, b) => b.chars - a.chars).slice(0, 10);
  }

  /** The texts that changed, by message and by index of the result in it. */
  changes(): Map<number, Map<number, readonly string[]>> {
    const changes = new Map<number, Map<number, readonly string[]>>();
    for (const one of this.#results) {
      if (one.now === one.texts) continue;
      const texts = changes.get(one.message) ?? new Map();
      changes.set(one.message, texts.set(one.index, one.now));
    }
    return changes;
  }

  shortened(): ShortenedResult[] {
    return this.#results.filter((one) => one.now !== one.texts).map((one) => ({
      toolCallId: one.id,
      from: one.chars,
      to: lengthOf(one.now),
    }));
  }

  untouched(): string[] {
    return this.#results.filter((one) => one.now === one.texts)
      .map((one) => one.id);
  }

  #chars(): number {
    return this.#results.reduce((sum, one) => sum + lengthOf(one.now), 0);
  }

  /** Keeps so many characters beyond the shortest: the smallest results get theirs first. */
  #keep(chars: number): void {
    let left = chars;
    for (let at = this.#bySize.length - 1; at >= 0; at--) {
      const one = this.#bySize[at]!;
      const more = Math.min(left, one.chars - one.floor);
      left -= more;
      const target = one.floor + more;
      one.now = target >= one.chars ? one.texts : this.#shortened(one, target);
    }
  }

  /** A result's texts with so many characters together, the largest shortened first. */
  #shortened(result: Result, target: number): readonly string[] {
    const { keep, marker } = this.#options;
    const level = levelFor(result.texts, target);
    // Line ends are looked for only where the floor leaves room for it.
    const slack = Math.min(
      level >> 3,
      Math.floor((target - result.floor) / result.texts.length),
    );
    return result.texts.map((text) =>
      truncateMiddle(text, level, {
        ...keep === undefined ? {} : { keep },
        ...marker === undefined ? {} : { marker },
        minChars: level - slack,
      })
    );
  }

  /** All texts joined, in pieces that a counter can take. */
  *#joined(): Generator<string> {
    let pieces: string[] = [];
    let length = 0;
    for (const text of this.#texts()) {
      for (let from = 0; from < text.length;) {
        let to = Math.min(text.length, from + LONGEST_TEXT - length);
        if (to < text.length && isLowHalf(text, to)) to++;
        pieces.push(text.slice(from, to));
        length += to - from;
        from = to;
        if (length >= LONGEST_TEXT) {
          yield pieces.join("");
          pieces = [];
          length = 0;
        }
      }
    }
    if (length > 0) yield pieces.join("");
  }

  *#texts(): Generator<string> {
    yield* this.#fixed;
    for (const one of this.#results) yield* one.now;
  }

  /** What the messages have now; as soon as it is too much, some number above the budget. */
  async #total(): Promise<number> {
    let sum = this.#costs;
    for (const text of this.#joined()) {
      if (sum > this.#available) break;
      sum += await this.#count(text);
    }
    return sum;
  }

  async #count(text: string): Promise<number> {
    const known = this.#counted.get(text);
    if (known !== undefined) return known;
    const count = await (this.#options.count ?? estimateTokens)(text);
    if (typeof count !== "number" || !(count >= 0)) {
      throw new TypeError(
        `Cannot count tokens: the counter gave "${count}", not a number`,
      );
    }
    this.#counted.set(text, count);
    return count;
  }
}

/** The length at which texts have `target` together when none is longer. */
function levelFor(texts: readonly string[], target: number): number {
  let left = target;
  const lengths = texts.map((text) => text.length).sort((a, b) => a - b);
  for (const [index, length] of lengths.entries()) {
    const level = Math.floor(left / (lengths.length - index));
    if (length > level) return level;
    left -= length;
  }
  return target;
}

function lengthOf(texts: readonly string[]): number {
  let length = 0;
  for (const text of texts) length += text.length;
  return length;
}

function sumOf(reserve: number | Readonly<Record<string, number>>): number {
  if (typeof reserve === "number") return reserve;
  return Object.values(reserve).reduce((sum, one) => sum + one, 0);
}

function hasPairs(text: string): boolean {
  return /[\ud800-\udfff]/.test(text);
}

function isLowHalf(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00;
}
