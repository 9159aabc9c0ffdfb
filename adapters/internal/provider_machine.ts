import type { ErrorInfo, Part, WarningPart } from "../../transforms/part.ts";
import type { Emit, Stage } from "../../transforms/stage.ts";
import type { ProviderInput } from "../provider.ts";
import type { StreamError } from "../stream_error.ts";
import { ArraySniffer } from "./array_sniffer.ts";
import { ERROR_BODY_CHARS } from "./error_body.ts";
import { JSONLMachine, type JSONLMachineOptions } from "./jsonl_machine.ts";
import type { PartMachine } from "./part_source.ts";
import { TextInput } from "./text_input.ts";

/** One way to find events in text. */
export interface Framing {
  push(text: string): void;
  /** The text is over. Returns why this was no stream at all, if it was none. */
  end(): StreamError | undefined;
  /** Why nothing is taken any more. */
  readonly failure: StreamError | undefined;
}

/** What a framing gives out. */
export interface FramingOutput {
  event(input: ProviderInput): void;
  warn(code: string, message: string): void;
}

/**
 * Bytes or text in, a provider's parts out: decoding, framing and the provider's
 * decoder in one. A JSON array of objects is unwrapped whatever the framing.
 */
export class ProviderMachine implements PartMachine {
  readonly #decoder: Stage<ProviderInput, Part>;
  readonly #input: TextInput;
  readonly #output: FramingOutput;
  readonly #maxEventChars: number;
  readonly #makeFraming: (output: FramingOutput) => Framing;
  #sniffer: ArraySniffer | undefined;
  #framing: Framing | undefined;
  #foreign: StreamError | undefined;
  #emit: Emit<Part> = () => {};
  #events = 0;

  constructor(
    decoder: Stage<ProviderInput, Part>,
    options: {
      fatalUtf8: boolean;
      /** Whether a JSON array may come instead. */
      arrays: boolean;
      maxEventChars: number;
    },
    makeFraming: (output: FramingOutput) => Framing,
  ) {
    this.#decoder = decoder;
    this.#maxEventChars = options.maxEventChars;
    this.#makeFraming = makeFraming;
    this.#input = new TextInput(
      options.fatalUtf8,
      (warning: WarningPart) => {
        if (this.failure === undefined) this.#emit(warning);
      },
    );
    this.#output = {
      event: (input) => {
        this.#events++;
        this.#decoder.push(input, this.#emit);
      },
      warn: (code, message) => this.#emit({ type: "warning", code, message }),
    };
    if (options.arrays) this.#sniffer = new ArraySniffer();
    else this.#framing = makeFraming(this.#output);
  }

  get failure(): StreamError | undefined {
    // Text goes no further than a framing that failed, so that came first.
    return this.#framing?.failure ?? this.#input.failure ?? this.#foreign;
  }

  push(chunk: unknown, emit: Emit<Part>): void {
    this.#emit = emit;
    this.#input.push(chunk, this.#text);
  }

  end(emit: Emit<Part>): void {
    this.#emit = emit;
    this.#input.end(this.#text);
    if (this.failure !== undefined) return;
    if (this.#sniffer !== undefined) this.#choose(false);
    this.#foreign = this.#framing!.end();
    if (this.failure !== undefined) return;
    if (this.#events === 0) {
      this.#output.warn(
        "no-events",
        "The stream ended without a single event",
      );
    }
    this.#decoder.end(emit);
  }

  fail(error: ErrorInfo, emit: Emit<Part>): void {
    this.#emit = emit;
    // The source failed, not the reading: an event may be there whose end is
    // not. One that was cut is reported. Who aborts wants no more.
    if (this.failure === undefined && error.name !== "AbortError") {
      this.#input.end(this.#text);
      if (this.#sniffer !== undefined) this.#choose(false);
      if (this.failure === undefined) this.#framing!.end();
    }
    failDecoder(this.#decoder, error, emit);
  }

  readonly #text = (text: string): void => {
    if (this.#framing !== undefined) this.#framing.push(text);
    else {
      const array = this.#sniffer!.push(text);
      if (array !== undefined) this.#choose(array);
    }
  };

  #choose(array: boolean): void {
    const text = this.#sniffer!.take();
    this.#sniffer = undefined;
    this.#framing = array
      ? new LineFraming(this.#output, {
        maxLineChars: this.#maxEventChars,
        concatenated: false,
        recordSeparator: false,
        unwrap: true,
        stripAnsi: false,
      }, () => undefined)
      : this.#makeFraming(this.#output);
    this.#framing.push(text);
  }
}

/** JSON values, by lines or one after another. */
export class LineFraming implements Framing {
  readonly failure: undefined;
  readonly #machine: JSONLMachine;
  readonly #foreign: (head: string) => StreamError | undefined;
  /** The beginning of the text, until there is a value. */
  #head = "";
  /** Whether there has been a value. */
  #recognised = false;
  #invalid = false;

  /**
   * @param foreign What to say of a text without a value in it.
   */
  constructor(
    output: FramingOutput,
    options: JSONLMachineOptions,
    foreign: (head: string) => StreamError | undefined,
  ) {
    this.#foreign = foreign;
    this.#machine = new JSONLMachine(options, {
      value: (value, data) => {
        this.#recognised = true;
        output.event({ data, value });
      },
      fault: (kind, _text, _line, _length, message) => {
        if (kind === "invalid-line") this.#invalid = true;
        output.warn(kind, message);
      },
    });
  }

  push(text: string): void {
    if (this.#recognised) this.#head = "";
    else if (this.#head.length < ERROR_BODY_CHARS) {
      this.#head += text.slice(0, ERROR_BODY_CHARS - this.#head.length);
    }
    this.#machine.push(text);
  }

  end(): StreamError | undefined {
    this.#machine.end();
    if (this.#recognised || !this.#invalid) return undefined;
    return this.#foreign(this.#head);
  }
}

/** Tells a decoder that its transport failed. */
export function failDecoder(
  decoder: Stage<ProviderInput, Part>,
  error: ErrorInfo,
  emit: Emit<Part>,
): void {
  decoder.push({ data: "", error }, emit);
  decoder.end(emit);
}
