import type {
  DirectiveDeltaPart,
  DirectivePart,
  DirectiveStartPart,
  Part,
  TextPart,
  WarningCode,
} from "../part.ts";
import type { Emit } from "../stage.ts";
import type { DirectivePartial } from "../directive_types.ts";
import { decodeEntities, halfEntity } from "./decode_entities.ts";
import type { KnownDirective } from "./directive_set.ts";
import { readDirectiveValue } from "./directive_value.ts";
import { HeldText, type HeldTextSnapshot, textPart } from "./held_text.ts";
import {
  addContent,
  fieldsOf,
  growPartial,
  type OpenDirective,
  writtenContent,
} from "./open_directive.ts";

/** What is known of an opener. */
export interface Opening {
  /** The opener as written; empty when the stream begins inside. */
  text: string;
  name: string;
  attributes: Record<string, string>;
  label: string | null;
  /** A container's colons. */
  colons: number;
}

/** State of a {@linkcode DirectiveOutlet} as plain data. */
export interface DirectiveOutletSnapshot {
  readonly held: HeldTextSnapshot;
  readonly decided: number;
  readonly open: OpenDirective | null;
}

/** Options of {@linkcode DirectiveOutlet}. */
export interface DirectiveOutletOptions {
  readonly decodeEntities: boolean;
  readonly partials: boolean;
  /** Whether a directive is held until its closer. */
  readonly hold: boolean;
}

/**
 * Where text and directives leave. Whoever reads the text decides it in order:
 * `flow` says that the next code units are text, or content of the open
 * directive; `open` and `close` take a tag out. What is not decided when the
 * chunk at hand ends is kept.
 */
export class DirectiveOutlet {
  readonly #options: DirectiveOutletOptions;
  /** The text that is not decided, or held for the open directive. */
  readonly held: HeldText;
  /** Set before anything is decided. */
  emit: Emit<Part> = () => {};
  /** Offset of the first code unit that is not decided. */
  decided: number;
  #opened: OpenDirective | null;
  /** The chunk at hand, of which `#used` code units are out. */
  #fresh: TextPart | undefined;
  #used = 0;
  /** Code units that are decided to be text or content, but not out yet. */
  #flowing = 0;

  constructor(
    options: DirectiveOutletOptions,
    snapshot?: DirectiveOutletSnapshot,
  ) {
    this.#options = options;
    this.held = new HeldText(snapshot?.held);
    this.decided = snapshot?.decided ?? 0;
    this.#opened = snapshot?.open ?? null;
  }

  /** The directive that is open. */
  get opened(): OpenDirective | null {
    return this.#opened;
  }

  /** The state as plain data. It shares what changes: copy it. */
  snapshot(): DirectiveOutletSnapshot {
    return {
      held: this.held.snapshot(),
      decided: this.decided,
      open: this.#opened,
    };
  }

  /** The next chunk is at hand. */
  begin(chunk: TextPart): void {
    if (this.held.length === 0) this.decided = chunk.start;
    this.#fresh = chunk;
    this.#used = 0;
  }

  /** The chunk at hand is read: what is decided leaves, the rest is kept. */
  finish(): void {
    this.flush();
    const { text, start, code } = this.#fresh!;
    const used = this.#used;
    if (used < text.length) {
      this.held.add(used === 0 ? text : text.slice(used), start + used, code);
    }
    this.#fresh = undefined;
  }

  /** The next code units are text, or content of the open directive. */
  flow(count: number): void {
    this.#flowing += count;
    this.decided += count;
    if (this.#opened !== null) this.#opened.length += count;
  }

  /** Lets out what is decided. */
  flush(): void {
    const count = this.#flowing;
    if (count === 0) return;
    this.#flowing = 0;
    if (this.#opened === null) this.#give(count, this.emit);
    else if (!this.#opened.hold) this.#give(count, this.#content);
  }

  /** Says something, in its place; about a directive that is held, at its end. */
  warn(code: WarningCode, message: string, start: number, end: number): void {
    if (this.#opened?.hold) this.#opened.warnings.push({ code, message });
    else {
      this.flush();
      this.emit({ type: "warning", code, message, start, end });
    }
  }

  /** Takes an opener out; a directive begins. */
  open(opening: Opening, known: KnownDirective): void {
    this.flush();
    const { hold, partials } = this.#options;
    const { text, name, attributes, label, colons } = opening;
    const start = this.decided;
    const open: OpenDirective = {
      name,
      id: `directive-${start}`,
      attributes,
      label,
      start,
      opener: text,
      blocks: [],
      pieces: [],
      length: 0,
      depth: 1,
      levels: [colons],
      field: null,
      fields: [],
      half: "",
      partial: partials && !known.asReasoning && !hold
        ? { content: "", ...(known.fields.length > 0 ? { fields: {} } : {}) }
        : null,
      warnings: [],
      hold,
    };
    this.decided += text.length;
    if (!hold) this.#start(open);
    this.#opened = open;
    this.#known = known;
  }

  /**
   * Takes a closer out; the open directive is over. `closer` is `null` when it
   * never came; `hidden` says that code hides what follows in the content.
   * `ended` is called with the offset behind the content once all of it is out.
   */
  close(
    closer: string | null,
    hidden: string | undefined,
    ended: (end: number) => void,
  ): void {
    const open = this.#opened!;
    const known = this.#known!;
    const decodes = this.#options.decodeEntities;
    if (open.hold) {
      this.#start(open);
      this.#give(open.length, (part) => {
        if (part.type === "text") addContent(open, part.text);
        else this.emit(part);
      });
      this.#flowing = 0;
    } else {
      this.flush();
      this.endHalf();
    }
    const waiting = closer === null ? [] : this.#cut(closer.length);
    ended(this.decided);
    this.decided += closer?.length ?? 0;
    const written = writtenContent(open);
    const content = decodes ? decodeEntities(written) : written;
    if (open.hold && known.asReasoning && content !== "") {
      this.emit({ type: "reasoning", text: content });
    }
    const fields = known.fields.length === 0
      ? undefined
      : fieldsOf(open, written, decodes);
    const part: DirectivePart & { label?: string } = {
      type: "directive",
      id: open.id,
      name: open.name,
      attributes: open.attributes,
      ...(open.label === null ? {} : { label: open.label }),
      content,
      ...(fields === undefined ? {} : { fields }),
      complete: closer !== null,
      raw: open.opener + written + (closer ?? ""),
      start: open.start,
      end: this.decided,
    };
    this.#warnings(open);
    if (closer === null) this.#hiddenCloser(open, written, hidden);
    else {
      if (open.field !== null) {
        this.#warnOf(
          open,
          "malformed",
          `Field "${open.field.name}" of directive "${open.name}" has no closer: it is not among the fields`,
        );
      }
      this.#addValue(open, known, part, fields);
    }
    this.emit(part);
    for (const one of waiting) this.emit(one);
    this.#opened = null;
  }

  /** Everything held for the open directive is text after all. */
  disown(): void {
    const open = this.#opened!;
    this.#warnings(open);
    this.#opened = null;
    this.#flowing = open.opener.length + open.length;
    this.flush();
  }

  /** What looked like the beginning of a character reference was none. */
  endHalf(): void {
    const open = this.#opened!;
    const { half } = open;
    open.half = "";
    this.#delta(open, half);
  }

  #known: KnownDirective | undefined;

  /** After a snapshot: what is known of the directive that is open. */
  resume(known: KnownDirective): void {
    this.#known = known;
  }

  #start(open: OpenDirective): void {
    const waiting = this.#cut(open.opener.length);
    const part: DirectiveStartPart & { label?: string } = {
      type: "directive-start",
      id: open.id,
      name: open.name,
      attributes: { ...open.attributes },
      ...(open.label === null ? {} : { label: open.label }),
      start: open.start,
    };
    this.emit(part);
    for (const one of waiting) this.emit(one);
  }

  #addValue(
    open: OpenDirective,
    known: KnownDirective,
    part: DirectivePart,
    fields: Readonly<Record<string, string>> | undefined,
  ): void {
    if (known.schema === undefined) return;
    const read = readDirectiveValue(part.content, fields, known.schema);
    if (!read.ok) {
      this.#warnOf(
        open,
        "schema",
        `Directive "${open.name}" does not fit its schema: ${read.reason}`,
      );
      return;
    }
    part.value = read.value;
    if (read.repairs.length > 0) {
      const repairs = read.repairs.join(", ");
      this.#warnOf(
        open,
        "repaired",
        `The value of directive "${open.name}" was read with repairs: ${repairs}`,
      );
    }
  }

  /** A directive that was left open in a fence may have been meant to end there. */
  #hiddenCloser(
    open: OpenDirective,
    written: string,
    hidden: string | undefined,
  ): void {
    const at = hidden === undefined ? -1 : written.lastIndexOf(hidden);
    if (at < 0) return;
    // A container's closer begins behind the line end.
    const begin = written[at] === "\n" ? at + 1 : at;
    const offset = open.start + open.opener.length + begin;
    this.#warnOf(
      open,
      "quoted",
      `Directive "${open.name}" was not closed: what looks like its closer, at offset ${offset}, is in a code fence that was not closed either`,
    );
  }

  #warnings(open: OpenDirective): void {
    for (const { code, message } of open.warnings) {
      this.#warnOf(open, code, message);
    }
  }

  #warnOf(open: OpenDirective, code: WarningCode, message: string): void {
    const { start } = open;
    this.emit({ type: "warning", code, message, start, end: this.decided });
  }

  /** More content of the open directive. */
  readonly #content: Emit<Part> = (part) => {
    if (part.type !== "text") {
      this.emit(part);
      return;
    }
    const open = this.#opened!;
    addContent(open, part.text);
    if (!this.#options.decodeEntities) {
      this.#delta(open, part.text);
      return;
    }
    const text = open.half + part.text;
    const end = text.length - halfEntity(text);
    open.half = text.slice(end);
    this.#delta(open, decodeEntities(text.slice(0, end)));
  };

  #delta(open: OpenDirective, text: string): void {
    if (text === "") return;
    if (this.#known!.asReasoning) {
      this.emit({ type: "reasoning", text });
      return;
    }
    const delta: DirectiveDeltaPart & { partial?: DirectivePartial } = {
      type: "directive-delta",
      id: open.id,
      name: open.name,
      text,
    };
    const partial = growPartial(open, text);
    if (partial !== undefined) delta.partial = partial;
    this.emit(delta);
  }

  /** Gives the next code units, and the parts that wait before them and right behind. */
  #give(count: number, to: Emit<Part>): void {
    const held = Math.min(count, this.held.length);
    if (held > 0) this.held.give(to, held);
    const rest = count - held;
    if (rest === 0) return;
    const fresh = this.#fresh!;
    const used = this.#used;
    this.#used += rest;
    to(
      rest === fresh.text.length ? fresh : textPart(
        fresh.text.slice(used, used + rest),
        fresh.start + used,
        fresh.code,
      ),
    );
  }

  /** Takes the next code units out; gives the parts that wait inside them. */
  #cut(count: number): Part[] {
    const waiting: Part[] = [];
    this.#give(count, (part) => {
      if (part.type !== "text") waiting.push(part);
    });
    return waiting;
  }
}
