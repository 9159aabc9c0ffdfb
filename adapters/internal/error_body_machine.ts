import type { ErrorInfo, Part } from "../../transforms/part.ts";
import type { Emit } from "../../transforms/stage.ts";
import type { ResponseLike } from "../source.ts";
import type { StreamError } from "../stream_error.ts";
import { ERROR_BODY_CHARS, httpError } from "./error_body.ts";
import type { PartMachine } from "./part_source.ts";
import { TextInput } from "./text_input.ts";

/** The body of an answer with an error status: read as far as it tells why. */
export class ErrorBodyMachine implements PartMachine {
  readonly #response: ResponseLike;
  readonly #fail: (error: ErrorInfo, emit: Emit<Part>) => void;
  readonly #input: TextInput = new TextInput(false, undefined);
  readonly #pieces: string[] = [];
  #length = 0;
  failure: StreamError | undefined;

  /**
   * @param response The answer.
   * @param fail Gives out the `error` and the `finish` part.
   */
  constructor(
    response: ResponseLike,
    fail: (error: ErrorInfo, emit: Emit<Part>) => void,
  ) {
    this.#response = response;
    this.#fail = fail;
  }

  push(chunk: unknown): void {
    this.#input.push(chunk, this.#text);
    if (
      this.#length >= ERROR_BODY_CHARS || this.#input.failure !== undefined
    ) this.end();
  }

  end(): void {
    const { status, statusText } = this.#response;
    this.#input.end(this.#text);
    this.failure = httpError(status, statusText, this.#pieces.join(""));
  }

  fail(error: ErrorInfo, emit: Emit<Part>): void {
    this.#fail(error, emit);
  }

  readonly #text = (text: string): void => {
    this.#pieces.push(text);
    this.#length += text.length;
  };
}
