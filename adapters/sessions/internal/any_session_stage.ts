import {
  makeSnapshot,
  openSnapshot,
} from "../../../transforms/internal/snapshot.ts";
import type { Emit, Stage } from "../../../transforms/stage.ts";
import {
  TextInput,
  type TextInputSnapshot,
} from "../../internal/text_input.ts";
import { StreamError } from "../../stream_error.ts";
import { detectFormat } from "./detect_format.ts";
import { formats } from "./formats/mod.ts";
import type { SessionFormat } from "./session_format.ts";
import { SessionStage } from "./session_stage.ts";
import type { Message, SessionStreamOptions } from "../message.ts";
import type { AnySessionStreamOptions } from "../session_stream.ts";

interface State {
  input: TextInputSnapshot;
  head: string[];
  /** At this length of the head it is looked at again. */
  next: number;
  format: string | null;
  inner: unknown;
}

/**
 * A stored session whose format its beginning tells.
 *
 * ```txt
 *   looking ── the format shows ──▶ reading
 *      └────── it never does ─────▶ error
 * ```
 */
export class AnySessionStage implements Stage<string | Uint8Array, Message> {
  readonly #options: AnySessionStreamOptions;
  readonly #input: TextInput;
  #head: string[];
  #length: number;
  #next: number;
  #format: SessionFormat | undefined;
  #inner: SessionStage | undefined;
  #emit: Emit<Message> = () => {};
  readonly #text = (text: string): void => this.#take(text);

  constructor(options: AnySessionStreamOptions) {
    const { kind } = options;
    if (kind !== undefined && !formats.some((each) => each.kind === kind)) {
      throw new TypeError(
        `Cannot read sessions of kind "${kind}": the kinds are ${kinds()}`,
      );
    }
    this.#options = options;
    const state = openSnapshot<State>("session", options.snapshot);
    this.#input = new TextInput(false, options.onWarning, state?.input);
    this.#head = state?.head ?? [];
    this.#length = this.#head.reduce((sum, { length }) => sum + length, 0);
    this.#next = state?.next ?? 1;
    const format = formats.find(({ name }) => name === state?.format);
    if (format !== undefined) this.#begin(format, state!.inner);
    // Wrong options are an error now, not when the format shows.
    else new SessionStage(formats[0]!, withoutSnapshot(options));
  }

  push(chunk: string | Uint8Array, emit: Emit<Message>): void {
    this.#emit = emit;
    this.#input.push(chunk, this.#text);
    if (this.#input.failure !== undefined) throw this.#input.failure;
  }

  end(emit: Emit<Message>): void {
    this.#emit = emit;
    this.#input.end(this.#text);
    if (this.#inner === undefined) this.#look(true);
    this.#inner?.end(emit);
  }

  /** Messages that are whole, as far as anyone can tell. */
  breakOff(emit: Emit<Message>): void {
    this.#emit = emit;
    this.#inner?.breakOff(emit);
  }

  snapshot(): unknown {
    const state: State = {
      input: this.#input.snapshot(),
      head: this.#head,
      next: this.#next,
      format: this.#format?.name ?? null,
      inner: this.#inner?.snapshot() ?? null,
    };
    return makeSnapshot("session", state);
  }

  #take(text: string): void {
    if (this.#inner !== undefined) return this.#inner.push(text, this.#emit);
    this.#head.push(text);
    this.#length += text.length;
    if (this.#length >= this.#next) this.#look(false);
  }

  #look(whole: boolean): void {
    const head = this.#head.join("");
    this.#head = [head];
    this.#next = 2 * Math.max(512, head.length);
    if (whole && head.trim() === "") return;
    const { kind, onFormat } = this.#options;
    const found = detectFormat(head, whole);
    const fits = found !== null && found !== undefined &&
      (kind === undefined || found.kind === kind);
    if (found === undefined) return;
    const format = fits ? found : formats.find((each) => each.kind === kind);
    if (format === undefined) {
      throw new StreamError(
        "unknown-format",
        head.startsWith("SQLite format 3\0")
          ? 'Cannot read a SQLite database as a stream: open it and use "cursorSession"'
          : `Cannot tell the format of the session: it is none of ${kinds()}`,
        { excerpt: head.slice(0, 200) },
      );
    }
    onFormat?.(format.kind);
    this.#begin(format);
    this.#head = [];
    this.#inner!.push(head, this.#emit);
  }

  #begin(format: SessionFormat, snapshot?: unknown): void {
    this.#format = format;
    this.#inner = new SessionStage(format, {
      ...withoutSnapshot(this.#options),
      ...(snapshot === undefined ? {} : { snapshot }),
    });
  }
}

function withoutSnapshot(
  options: AnySessionStreamOptions,
): SessionStreamOptions {
  const { snapshot: _, ...rest } = options;
  return rest;
}

function kinds(): string {
  return [...new Set(formats.map(({ kind }) => `"${kind}"`))].join(", ");
}
