import type {
  ErrorInfo,
  FinishPart,
  FinishReason,
  Part,
  ToolCallPart,
  ToolCallPartialPart,
  UsagePart,
} from "../../transforms/part.ts";
import type { Emit, Stage } from "../../transforms/stage.ts";
import {
  makeSnapshot,
  openSnapshot,
} from "../../transforms/internal/snapshot.ts";
import { isCut } from "./decoder.ts";
import { stringOf, toJSON } from "./json.ts";
import { rememberId } from "./recent_ids.ts";

/** A call that has begun on the wire. */
export interface SentCall {
  /** Its number on the wire. */
  index: number;
  /** Its id. */
  id: string;
  /** Whether any argument text has been sent. */
  filled: boolean;
}

/** What every encoder remembers. */
interface Core {
  /** Whether anything has been sent. */
  began: boolean;
  /** Whether the end has been sent. */
  over: boolean;
  /** Calls whose arguments are being sent, by id. */
  open: Record<string, SentCall>;
  /** Whether a call that has begun was withdrawn: it must not look finished. */
  withdrawn: boolean;
  /** How many whole calls have been sent. */
  whole: number;
  /** The ids of those that nothing has answered yet. */
  asked: string[];
  /** Cut calls; whether they can be sent depends on the end. */
  partials: ToolCallPartialPart[];
  /** The token counts. */
  usage?: UsagePart;
}

/** Calls whose result can still come; more than that is no real answer. */
const MOST_ASKED = 4096;

/** The token counts that have a place on a wire. */
const COUNTS = [
  "inputTokens",
  "outputTokens",
  "totalTokens",
  "reasoningTokens",
  "cachedInputTokens",
] as const;

/**
 * What encoders of provider wires have in common: which parts go on the wire, in
 * which order, and that nothing half looks whole there.
 *
 * @typeParam Own What the subclass remembers, as plain data.
 */
export abstract class WireEncoder<Own> implements Stage<string | Part, string> {
  readonly #name: string;
  readonly #streamInput: boolean;
  readonly #core: Core;
  /** What the subclass remembers. */
  protected readonly own: Own;
  /** Where text goes, during `push`. */
  protected emit: Emit<string> = () => {};

  constructor(
    name: string,
    streamInput: boolean,
    snapshot: unknown,
    fresh: Own,
  ) {
    this.#name = name;
    this.#streamInput = streamInput;
    const state = openSnapshot<{ core: Core; own: Own }>(name, snapshot);
    this.#core = state?.core ?? {
      began: false,
      over: false,
      open: {},
      withdrawn: false,
      whole: 0,
      asked: [],
      partials: [],
    };
    this.own = state?.own ?? fresh;
  }

  push(input: string | Part, emit: Emit<string>): void {
    this.emit = emit;
    const core = this.#core;
    if (core.over) return;
    if (typeof input === "string") {
      if (input !== "") this.began().text(input);
      return;
    }
    // Parts can come from a file, or from someone else's code.
    switch (input?.type) {
      case "text": {
        const text = stringOf(input.text);
        if (text !== "") this.began().text(text);
        return;
      }
      case "reasoning": {
        const text = stringOf(input.text);
        if (text !== "") this.began().reasoning(text);
        return;
      }
      case "tool-input-start":
        if (this.#streamInput) {
          this.#open(stringOf(input.toolCallId), stringOf(input.toolName));
        }
        return;
      case "tool-input-delta": {
        const call = this.#sent(input.toolCallId);
        const delta = stringOf(input.delta);
        if (call === undefined || delta === "") return;
        call.filled = true;
        this.argument(call, delta);
        return;
      }
      case "tool-call":
        return this.#call(input);
      case "tool-call-partial":
        if (this.#sent(input.toolCallId) === undefined) {
          core.partials.push({
            type: "tool-call-partial",
            toolCallId: stringOf(input.toolCallId),
            toolName: stringOf(input.toolName),
            inputText: stringOf(input.inputText),
          });
        } else core.withdrawn = true;
        return;
      case "tool-result": {
        // Whoever made the stream runs the tools.
        const at = core.asked.indexOf(input.toolCallId);
        if (at >= 0) core.asked.splice(at, 1);
        return;
      }
      case "tool-blocked":
        if (this.#sent(input.toolCallId) !== undefined) core.withdrawn = true;
        return;
      case "usage":
        core.usage = { ...core.usage, type: "usage" };
        for (const name of COUNTS) {
          const count = input[name];
          if (typeof count === "number") core.usage[name] = count;
        }
        return;
      case "error":
        // The clients of these wires stop at an error: one that the stream
        // outlives has no place there.
        if (input.fatal) this.error(infoOf(input.error));
        return;
      case "finish":
        return this.#finish(input);
    }
  }

  end(): void {
    // Without a `finish` part the stream was cut, and has to look so.
  }

  snapshot(): unknown {
    return makeSnapshot(this.#name, { core: this.#core, own: this.own });
  }

  /** The first thing on the wire. */
  protected abstract begin(): void;
  protected abstract text(text: string): void;
  protected abstract reasoning(text: string): void;
  /** A call begins. */
  protected abstract open(call: SentCall, id: string, name: string): void;
  /** A piece of its arguments. */
  protected abstract argument(call: SentCall, json: string): void;
  /** It is whole. */
  protected abstract close(call: SentCall, part: ToolCallPart): void;
  /** A fatal error. */
  protected abstract error(error: ErrorInfo): void;
  /** The end. `reason` is the part's own, unless something sent was withdrawn. */
  protected abstract over(
    part: FinishPart,
    reason: FinishReason,
    usage: UsagePart | undefined,
  ): void;

  /** Sees to it that the first thing has been sent. */
  protected began(): this {
    if (!this.#core.began) {
      this.#core.began = true;
      this.begin();
    }
    return this;
  }

  /** Whether the end has been sent. */
  protected get isOver(): boolean {
    return this.#core.over;
  }

  /** A call that has begun is dealt with by the subclass. */
  protected forget(id: string): void {
    delete this.#core.open[key(id)];
  }

  #sent(id: string): SentCall | undefined {
    const { open } = this.#core;
    return Object.hasOwn(open, key(id)) ? open[key(id)] : undefined;
  }

  #open(id: string, name: string): SentCall {
    this.began();
    const call: SentCall = { index: this.nextIndex(), id, filled: false };
    this.#core.open[key(id)] = call;
    this.open(call, id, name);
    return call;
  }

  /** The number of the next call. */
  protected abstract nextIndex(): number;

  #call(part: ToolCallPart): void {
    const sent = this.#sent(part.toolCallId);
    const id = stringOf(part.toolCallId);
    const json = sent?.filled === true && this.readsDeltas
      ? ""
      : jsonOf(part.input);
    if (json === undefined) {
      // What cannot be written cannot be called: the answer has to look cut.
      this.#core.withdrawn = true;
      this.unwritable(id, stringOf(part.toolName));
      return;
    }
    const call = sent ?? this.#open(id, stringOf(part.toolName));
    if (json !== "" && !call.filled) this.argument(call, json);
    this.close(call, part);
    this.#core.whole++;
    rememberId(this.#core.asked, id, MOST_ASKED);
    delete this.#core.open[key(id)];
  }

  /** Whether a client puts the arguments together from their pieces; else it gets them whole. */
  protected get readsDeltas(): boolean {
    return true;
  }

  /** A call whose arguments have no JSON text, or are nested too deep for one. */
  protected unwritable(_id: string, _name: string): void {}

  #finish(part: FinishPart): void {
    const core = this.#core;
    core.over = true;
    this.began();
    let reason: FinishReason = stringOf(part.reason) === ""
      ? "unknown"
      : part.reason;
    const withdrawn = core.withdrawn || Object.keys(core.open).length > 0;
    // A cut call under a normal end: whole ones beside it can still be used.
    const onlyCut = core.partials.length > 0 && core.whole === 0;
    if ((withdrawn || onlyCut) && !isCut(reason)) reason = "length";
    // Calls that were recovered from text: the provider did not know of them.
    else if (reason === "stop" && core.asked.length > 0) reason = "tool-calls";
    // Under a normal end, clients mend what they can, and run it.
    for (const partial of isCut(reason) ? core.partials : []) {
      const call: SentCall = {
        index: this.nextIndex(),
        id: partial.toolCallId,
        filled: true,
      };
      this.open(call, partial.toolCallId, partial.toolName ?? "");
      if (partial.inputText !== "") this.argument(call, partial.inputText);
    }
    this.over(part, reason, core.usage);
  }
}

/** Ids come from the wire: one may be called `__proto__`. */
function key(id: string): string {
  return `c ${id}`;
}

/** Arguments as JSON; `undefined` when it has no form for them, or they are nested too deep. */
function jsonOf(input: unknown): string | undefined {
  return input === undefined ? "{}" : toJSON(input);
}

/** An error's fields, as far as they are text. */
function infoOf(error: ErrorInfo | undefined): ErrorInfo {
  const info: ErrorInfo = {
    name: stringOf(error?.name) || "Error",
    message: stringOf(error?.message),
  };
  if (typeof error?.code === "string") info.code = error.code;
  return info;
}
