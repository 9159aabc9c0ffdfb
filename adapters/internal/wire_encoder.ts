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
  /** Cut calls; whether they can be sent depends on the end. */
  partials: ToolCallPartialPart[];
  /** The token counts. */
  usage?: UsagePart;
}

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
    switch (input.type) {
      case "text":
        if (input.text !== "") this.began().text(input.text);
        return;
      case "reasoning":
        if (input.text !== "") this.began().reasoning(input.text);
        return;
      case "tool-input-start":
        if (this.#streamInput) this.#open(input.toolCallId, input.toolName);
        return;
      case "tool-input-delta": {
        const call = this.#sent(input.toolCallId);
        if (call === undefined || input.delta === "") return;
        call.filled = true;
        this.argument(call, input.delta);
        return;
      }
      case "tool-call":
        return this.#call(input);
      case "tool-call-partial":
        if (this.#sent(input.toolCallId) === undefined) {
          core.partials.push(input);
        } else core.withdrawn = true;
        return;
      case "tool-blocked":
        if (this.#sent(input.toolCallId) !== undefined) core.withdrawn = true;
        return;
      case "usage":
        core.usage = { ...core.usage, ...input };
        return;
      case "error":
        // The clients of these wires stop at an error: one that the stream
        // outlives has no place there.
        if (input.fatal) this.error(input.error);
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
    const json = sent?.filled === true ? "" : jsonOf(part.input);
    if (json === undefined) {
      // What cannot be written cannot be called: the answer has to look cut.
      this.#core.withdrawn = true;
      return;
    }
    const call = sent ?? this.#open(part.toolCallId, part.toolName);
    if (json !== "") this.argument(call, json);
    this.close(call, part);
    this.#core.whole++;
    delete this.#core.open[key(part.toolCallId)];
  }

  #finish(part: FinishPart): void {
    const core = this.#core;
    core.over = true;
    this.began();
    let { reason } = part;
    const withdrawn = core.withdrawn || Object.keys(core.open).length > 0;
    // A cut call under a normal end: whole ones beside it can still be used.
    const onlyCut = core.partials.length > 0 && core.whole === 0;
    if ((withdrawn || onlyCut) && !isCut(reason)) reason = "length";
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
  try {
    return JSON.stringify(input) ?? "{}";
  } catch {
    return undefined;
  }
}
