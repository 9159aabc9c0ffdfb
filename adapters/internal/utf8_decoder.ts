const BYTE_ORDER_MARK_STAYS = { ignoreBOM: true };
const strict = new TextDecoder("utf-8", {
  ...BYTE_ORDER_MARK_STAYS,
  fatal: true,
});
const lenient = new TextDecoder("utf-8", BYTE_ORDER_MARK_STAYS);

/** The state of a {@linkcode Utf8Decoder} as plain data. */
export interface Utf8DecoderSnapshot {
  /** The bytes of a sequence that is not whole yet, three at most. */
  carry: number[];
  /** How many bytes have been decoded. */
  offset: number;
  /** How many malformed sequences there were. */
  malformed: number;
}

/**
 * UTF-8 in pieces cut anywhere. Only whole sequences reach the platform's
 * decoder, so that all state is the few bytes in between and can be saved.
 *
 * Malformed sequences become U+FFFD, one for each maximal subpart as the
 * Encoding standard has it; the text before the first one comes out before it is
 * reported.
 */
export class Utf8Decoder {
  readonly #onMalformed: (offset: number) => void;
  readonly #fatal: boolean;
  readonly #state: Utf8DecoderSnapshot;

  /**
   * @param onMalformed Told of the first malformed sequence; with `fatal`,
   * nothing is decoded any more.
   */
  constructor(
    fatal: boolean,
    onMalformed: (offset: number) => void,
    snapshot: Utf8DecoderSnapshot = { carry: [], offset: 0, malformed: 0 },
  ) {
    this.#fatal = fatal;
    this.#onMalformed = onMalformed;
    this.#state = snapshot;
  }

  /** How many malformed sequences there were. */
  get malformed(): number {
    return this.#state.malformed;
  }

  push(bytes: Uint8Array, emit: (text: string) => void): void {
    const state = this.#state;
    if (this.#fatal && state.malformed > 0) return;
    let input = bytes;
    if (state.carry.length > 0) {
      input = new Uint8Array(state.carry.length + bytes.length);
      input.set(state.carry);
      input.set(bytes, state.carry.length);
    }
    const end = wholeEnd(input);
    state.carry = end === input.length ? [] : Array.from(input.subarray(end));
    if (end === 0) return;
    const whole = end === input.length ? input : input.subarray(0, end);
    let text: string;
    try {
      text = strict.decode(whole);
    } catch {
      this.#malformed(whole, emit);
      return;
    }
    state.offset += end;
    emit(text);
  }

  /** The bytes are over, or something else than bytes follows. */
  end(emit: (text: string) => void): void {
    const { carry } = this.#state;
    if (carry.length === 0) return;
    this.#state.carry = [];
    this.#malformed(Uint8Array.from(carry), emit);
  }

  snapshot(): Utf8DecoderSnapshot {
    return this.#state;
  }

  #malformed(bytes: Uint8Array, emit: (text: string) => void): void {
    const state = this.#state;
    let rest = bytes;
    if (state.malformed === 0) {
      const at = firstMalformed(bytes);
      if (at > 0) emit(strict.decode(bytes.subarray(0, at)));
      this.#onMalformed(state.offset + at);
      if (this.#fatal) {
        state.malformed = 1;
        return;
      }
      rest = bytes.subarray(at);
    }
    state.offset += bytes.length;
    state.malformed += countMalformed(rest);
    emit(lenient.decode(rest));
  }
}

/** Where the sequence begins that is not whole yet; the length when none is. */
function wholeEnd(bytes: Uint8Array): number {
  const { length } = bytes;
  for (let at = length - 1; at >= 0 && at >= length - 3; at--) {
    if ((bytes[at]! & 0xc0) !== 0x80) {
      return sequenceAt(bytes, at) === 0 ? at : length;
    }
  }
  return length;
}

function firstMalformed(bytes: Uint8Array): number {
  for (let at = 0; at < bytes.length;) {
    const length = sequenceAt(bytes, at);
    if (length <= 0) return at;
    at += length;
  }
  return bytes.length;
}

function countMalformed(bytes: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < bytes.length;) {
    const length = sequenceAt(bytes, at);
    if (length === 0) return count + 1;
    if (length < 0) count++;
    at += Math.abs(length);
  }
  return count;
}

/**
 * The length of the sequence at `at`; negative when malformed (as long as its
 * maximal subpart), 0 when the bytes end before it does.
 */
function sequenceAt(bytes: Uint8Array, at: number): number {
  const lead = bytes[at]!;
  if (lead < 0x80) return 1;
  let length: number;
  let lowest = 0x80;
  let highest = 0xbf;
  if (lead >= 0xc2 && lead <= 0xdf) length = 2;
  else if (lead >= 0xe0 && lead <= 0xef) {
    length = 3;
    // No overlong forms, no surrogates.
    if (lead === 0xe0) lowest = 0xa0;
    else if (lead === 0xed) highest = 0x9f;
  } else if (lead >= 0xf0 && lead <= 0xf4) {
    length = 4;
    if (lead === 0xf0) lowest = 0x90;
    else if (lead === 0xf4) highest = 0x8f;
  } else return -1;
  for (let index = 1; index < length; index++) {
    const byte = bytes[at + index];
    if (byte === undefined) return 0;
    if (byte < lowest || byte > highest) return -index;
    lowest = 0x80;
    highest = 0xbf;
  }
  return length;
}
