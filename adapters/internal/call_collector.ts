import type { Part } from "../../transforms/part.ts";
import type { Emit } from "../../transforms/stage.ts";
import { isEmpty, toJSON } from "./json.ts";
import { RecentIds } from "./recent_ids.ts";

/** A tool call whose arguments are still coming. */
export interface OpenCall {
  /** Unique within the stream, counting up. */
  serial: number;
  /** How the wire refers to it. */
  key: string;
  /** The id that is given out. */
  id: string;
  /** The wire's id, `""` when it gave none. */
  wireId: string;
  /** The tool's name, `""` while unknown. */
  name: string;
  /** The argument text, never joined before the end. */
  pieces: string[];
  /** Code units in `pieces`. */
  length: number;
  /** How many pieces have been given out as deltas. */
  given: number;
  /** Whether `tool-input-start` has been given out. */
  started: boolean;
  /** Whether the argument text went over its limit. */
  tooLong: boolean;
  /** Whether the input is free text, not JSON. */
  free: boolean;
  /** How far the argument text has been looked at for its end, if ever. */
  scan?: ArgumentScan;
}

/** Where a JSON text stands. */
interface ArgumentScan {
  /** How many pieces have been looked at. */
  pieces: number;
  /** Open brackets. */
  depth: number;
  /** In a string; and behind a back-slash in it. */
  quoted: boolean;
  escaped: boolean;
  /** Anything but white space has come. */
  begun: boolean;
  /** The value has ended; and something has come behind it. */
  ended: boolean;
  spoilt: boolean;
  /** It is JSON. */
  whole: boolean;
}

/** Arguments that are neither object, list nor string are no longer than this. */
const LONGEST_WORD = 32;

/** The state of a {@linkcode CallCollector} as plain data. */
export interface CallCollectorSnapshot {
  calls: OpenCall[];
  /** Which call, by serial, a key or wire id leads to. */
  keys: [string, number][];
  ids: [string, number][];
  used: string[];
  active: number;
  serial: number;
  generated: number;
  told: boolean;
}

/** Ids kept to know a repeated one by. A session of years has fewer calls. */
const MOST_USED = 65_536;

/** How long the ids and names of all open calls may be together, in characters. */
const MOST_NAME_CHARS = 16_777_216;

/** What a collector needs to know. */
export interface CallCollectorOptions {
  generateId?: (() => string) | undefined;
  maxOpenCalls: number;
  maxArgumentChars: number;
}

/**
 * The tool calls of a stream: opened, filled piece by piece, and given out whole
 * or as partial. Pieces are joined once, when the call closes, so that the cost
 * is linear in their length.
 *
 * ```txt
 *            name known            complete, parses
 *   open ───────────────▶ started ───────────────────▶ tool-call
 *    │      tool-input-start │ tool-input-delta …
 *    └───────────────────────┴───────────────────────▶ tool-call-partial
 *         cut, too long, no name, arguments not JSON
 * ```
 */
export class CallCollector {
  readonly #options: CallCollectorOptions;
  /** Open calls in the order they opened. */
  readonly #calls = new Map<number, OpenCall>();
  /** The latest open call of a key. */
  readonly #byKey = new Map<string, OpenCall>();
  /** The latest open call of a wire id. */
  readonly #byId = new Map<string, OpenCall>();
  /** Ids given out: hosts tell calls apart by them. */
  readonly #used: RecentIds;
  #active: OpenCall | undefined;
  #serial: number;
  #generated: number;
  /** Whether it has been said that ids are made up here. */
  #told: boolean;
  /** Characters in the ids and names of open calls. */
  #nameChars = 0;

  constructor(
    options: CallCollectorOptions,
    snapshot?: CallCollectorSnapshot,
  ) {
    this.#options = options;
    this.#used = new RecentIds(MOST_USED, snapshot?.used);
    this.#serial = snapshot?.serial ?? 0;
    this.#generated = snapshot?.generated ?? 0;
    this.#told = snapshot?.told ?? false;
    for (const call of snapshot?.calls ?? []) {
      this.#calls.set(call.serial, call);
      this.#nameChars += charsOf(call);
    }
    for (const [key, serial] of snapshot?.keys ?? []) {
      this.#byKey.set(key, this.#calls.get(serial)!);
    }
    for (const [id, serial] of snapshot?.ids ?? []) {
      this.#byId.set(id, this.#calls.get(serial)!);
    }
    this.#active = this.#calls.get(snapshot?.active ?? -1);
  }

  /** Whether any call has opened since the beginning. */
  get any(): boolean {
    return this.#serial > 0;
  }

  /** The call that was opened or filled last, if it is open. */
  get active(): OpenCall | undefined {
    return this.#active;
  }

  /** The latest open call with this key. */
  find(key: string): OpenCall | undefined {
    return this.#byKey.get(key);
  }

  /** The latest open call to which the wire gave this id. */
  findId(wireId: string): OpenCall | undefined {
    return this.#byId.get(wireId);
  }

  /** The open calls, oldest first. */
  all(): OpenCall[] {
    return [...this.#calls.values()];
  }

  /** Opens a call. Nothing comes back when too many are open. */
  open(
    emit: Emit<Part>,
    key: string,
    wireId: string,
    name: string,
    free = false,
  ): OpenCall | undefined {
    if (this.#calls.size >= this.#options.maxOpenCalls) {
      emit({
        type: "warning",
        code: "limit",
        message:
          `Dropped a call of "${name}": ${this.#calls.size} calls are open, the limit of "maxOpenCalls"`,
      });
      return undefined;
    }
    const chars = key.length + 2 * wireId.length + name.length;
    if (this.#nameChars + chars > MOST_NAME_CHARS) {
      emit({
        type: "warning",
        code: "limit",
        message:
          `Dropped a call: its id and name, and those of the calls that are open, have more than ${MOST_NAME_CHARS} characters`,
      });
      return undefined;
    }
    const call: OpenCall = {
      serial: this.#serial++,
      key,
      id: this.newId(emit, wireId),
      wireId,
      name,
      pieces: [],
      length: 0,
      given: 0,
      started: false,
      tooLong: false,
      free,
    };
    this.#add(call);
    this.#active = call;
    this.#start(emit, call);
    return call;
  }

  /**
   * An id to give out: the wire's, or a new one when there is none or another
   * call has it already.
   */
  newId(emit: Emit<Part>, wireId: string): string {
    if (wireId !== "" && !this.#used.has(wireId)) {
      this.#used.add(wireId);
      return wireId;
    }
    let id: string;
    do {
      id = this.#options.generateId?.() ?? `call-${++this.#generated}`;
    } while (this.#options.generateId === undefined && this.#used.has(id));
    this.#used.add(id);
    if (wireId !== "") {
      emit({
        type: "warning",
        code: "repaired",
        message:
          `Gave a call the id "${id}": its own, "${wireId}", is that of an earlier call`,
      });
    } else if (!this.#told) {
      this.#told = true;
      emit({
        type: "warning",
        code: "made-up-id",
        message:
          `Gave a call the id "${id}", since it has none; others like it get one too`,
      });
    }
    return id;
  }

  /** A call that came whole: it counts, and gets an id. */
  whole(emit: Emit<Part>, wireId: string, name: string, input: unknown): void {
    this.#serial++;
    const id = this.newId(emit, wireId);
    if (name === "") {
      emit(nameless(id));
      emit({
        type: "tool-call-partial",
        toolCallId: id,
        inputText: toJSON(input) ?? "",
      });
      return;
    }
    emit({
      type: "tool-call",
      toolCallId: id,
      toolName: name,
      input,
      origin: "native",
    });
  }

  /** The name came late. */
  setName(emit: Emit<Part>, call: OpenCall, name: string): void {
    if (this.#nameChars + name.length > MOST_NAME_CHARS) return;
    this.#nameChars += name.length;
    call.name = name;
    this.#start(emit, call);
  }

  /** The wire's id came late. It counts for finding the call, and is given out if nothing has been. */
  setWireId(emit: Emit<Part>, call: OpenCall, wireId: string): void {
    const before = charsOf(call);
    if (this.#nameChars + 2 * wireId.length > MOST_NAME_CHARS) return;
    call.wireId = wireId;
    this.#byId.set(wireId, call);
    if (!call.started) call.id = this.newId(emit, wireId);
    this.#nameChars += charsOf(call) - before;
  }

  /** More argument text. */
  append(emit: Emit<Part>, call: OpenCall, piece: string): void {
    if (!this.keep(emit, call, piece) || !call.started) return;
    call.given++;
    emit({ type: "tool-input-delta", toolCallId: call.id, delta: piece });
  }

  /** The same without giving a delta out. Says whether there was anything to keep. */
  keep(emit: Emit<Part>, call: OpenCall, piece: string): boolean {
    this.#active = call;
    if (piece === "" || call.tooLong) return false;
    if (call.length + piece.length > this.#options.maxArgumentChars) {
      call.tooLong = true;
      emit({
        type: "warning",
        code: "limit",
        message:
          `Cut the arguments of call "${call.id}" at ${call.length} characters, the limit of "maxArgumentChars"; it cannot run`,
      });
      return false;
    }
    call.pieces.push(piece);
    call.length += piece.length;
    return true;
  }

  /** Arguments as they came: a piece of their text, or a value where text belongs. */
  appendGiven(emit: Emit<Part>, call: OpenCall, given: unknown): void {
    if (typeof given === "string") this.append(emit, call, given);
    else if (isEmpty(given)) this.append(emit, call, "");
    else this.appendValue(emit, call, given);
  }

  /** Arguments that came as a value. One that has no JSON text makes no call. */
  appendValue(emit: Emit<Part>, call: OpenCall, value: unknown): void {
    const text = toJSON(value);
    if (text !== undefined) return this.append(emit, call, text);
    this.#active = call;
    this.refuse(emit, call);
  }

  /** The arguments have no JSON text. */
  refuse(emit: Emit<Part>, call: OpenCall): void {
    if (call.tooLong) return;
    call.tooLong = true;
    emit({
      type: "warning",
      code: "limit",
      message:
        `The arguments of call "${call.id}" are nested too deep to be written as JSON; it cannot run`,
    });
  }

  /** Other arguments instead of what was kept. */
  replace(emit: Emit<Part>, call: OpenCall, value: unknown): void {
    call.pieces = [];
    call.length = call.given = 0;
    delete call.scan;
    this.appendValue(emit, call, value);
  }

  /** The argument text so far. Linear in it: not for every piece. */
  textOf(call: OpenCall): string {
    if (call.pieces.length > 1) {
      call.pieces = [call.pieces.join("")];
      call.given = Math.min(call.given, 1);
      // All or nothing has been looked at.
      if (call.scan !== undefined) call.scan.pieces = 1;
    }
    return call.pieces[0] ?? "";
  }

  /** Whether the argument text so far is a whole JSON value. */
  isWhole(call: OpenCall): boolean {
    if (call.length === 0) return false;
    const scan = call.scan ??= {
      pieces: 0,
      depth: 0,
      quoted: false,
      escaped: false,
      begun: false,
      ended: false,
      spoilt: false,
      whole: false,
    };
    const before = scan.pieces;
    while (scan.pieces < call.pieces.length) {
      scanPiece(scan, call.pieces[scan.pieces++]!);
    }
    // Asked for every delta, it is parsed only where it may have become whole.
    if (scan.pieces > before) {
      scan.whole = !scan.spoilt &&
        (scan.ended || call.length <= LONGEST_WORD) &&
        isJSON(this.textOf(call));
    }
    return scan.whole;
  }

  /** The call is over, and normally so: it is given out whole if it is. */
  complete(emit: Emit<Part>, call: OpenCall): void {
    if (!this.#calls.has(call.serial)) return;
    if (call.name === "" || call.tooLong) {
      if (call.name === "") emit(nameless(call.id));
      return this.partial(emit, call);
    }
    const text = this.textOf(call);
    let input: unknown;
    if (call.free) input = text;
    else {
      const read = readArguments(text);
      if (read === undefined) {
        emit({
          type: "warning",
          code: "malformed",
          message:
            `The arguments of call "${call.id}" are not JSON; it cannot run`,
        });
        return this.partial(emit, call);
      }
      if (read.repaired) {
        emit({
          type: "warning",
          code: "repaired",
          message:
            `Left out an empty object before the arguments of call "${call.id}"`,
        });
      }
      input = read.input;
    }
    this.#remove(call);
    emit({
      type: "tool-call",
      toolCallId: call.id,
      toolName: call.name,
      input,
      origin: "native",
    });
  }

  /** The call was cut. */
  partial(emit: Emit<Part>, call: OpenCall): void {
    if (!this.#calls.has(call.serial)) return;
    this.#remove(call);
    const inputText = this.textOf(call);
    emit(
      call.name === ""
        ? { type: "tool-call-partial", toolCallId: call.id, inputText }
        : {
          type: "tool-call-partial",
          toolCallId: call.id,
          toolName: call.name,
          inputText,
        },
    );
  }

  snapshot(): CallCollectorSnapshot {
    return {
      calls: this.all(),
      keys: Array.from(this.#byKey, ([key, call]) => [key, call.serial]),
      ids: Array.from(this.#byId, ([id, call]) => [id, call.serial]),
      used: this.#used.list(),
      active: this.#active?.serial ?? -1,
      serial: this.#serial,
      generated: this.#generated,
      told: this.#told,
    };
  }

  #add(call: OpenCall): void {
    this.#calls.set(call.serial, call);
    this.#nameChars += charsOf(call);
    this.#byKey.set(call.key, call);
    if (call.wireId !== "") this.#byId.set(call.wireId, call);
  }

  #remove(call: OpenCall): void {
    // A key that led here leads nowhere now, even if an older call had it too.
    this.#calls.delete(call.serial);
    this.#nameChars -= charsOf(call);
    for (
      const [map, key] of [
        [this.#byKey, call.key],
        [this.#byId, call.wireId],
      ] as const
    ) if (map.get(key) === call) map.delete(key);
    if (this.#active === call) this.#active = undefined;
  }

  /** Nothing is given out before the name is known; what came until then follows at once. */
  #start(emit: Emit<Part>, call: OpenCall): void {
    if (call.started || call.name === "") return;
    call.started = true;
    emit({
      type: "tool-input-start",
      toolCallId: call.id,
      toolName: call.name,
    });
    for (; call.given < call.pieces.length; call.given++) {
      emit({
        type: "tool-input-delta",
        toolCallId: call.id,
        delta: call.pieces[call.given]!,
      });
    }
  }
}

function nameless(id: string): Part {
  return {
    type: "warning",
    code: "malformed",
    message: `Call "${id}" came without a name; it cannot run`,
  };
}

/** Follows a JSON text to the end of its first value; what comes behind it spoils it. */
function scanPiece(scan: ArgumentScan, piece: string): void {
  for (let at = 0; at < piece.length; at++) {
    const code = piece.charCodeAt(at);
    if (scan.quoted) {
      if (scan.escaped) scan.escaped = false;
      else if (code === 0x5c) scan.escaped = true;
      else if (code === 0x22) scan.quoted = false;
      else continue;
    } else if (code === 0x20 || code === 0x0a || code === 0x0d || code === 9) {
      continue;
    } else if (scan.ended) {
      scan.spoilt = true;
      return;
    } else if (code === 0x22) scan.quoted = scan.begun = true;
    else if (code === 0x7b || code === 0x5b) {
      scan.depth++;
      scan.begun = true;
    } else if (code === 0x7d || code === 0x5d) scan.depth--;
    else continue;
    if (scan.begun && scan.depth <= 0 && !scan.quoted) scan.ended = true;
  }
}

function isJSON(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Characters that a call takes beside its arguments. */
function charsOf(call: OpenCall): number {
  return call.key.length + call.id.length + call.wireId.length +
    call.name.length;
}

/**
 * Arguments from their text. Nothing, blanks and `null` are what servers send
 * for a tool without parameters. Some send a placeholder `{}` first and then the
 * real object. Nothing else is mended.
 */
function readArguments(
  text: string,
): { input: unknown; repaired: boolean } | undefined {
  try {
    if (text.trim() === "") return { input: {}, repaired: false };
    return { input: JSON.parse(text) ?? {}, repaired: false };
  } catch {
    if (!text.startsWith("{}")) return undefined;
  }
  try {
    const input: unknown = JSON.parse(text.slice(2));
    return typeof input === "object" && input !== null
      ? { input, repaired: true }
      : undefined;
  } catch {
    return undefined;
  }
}
