/// <reference lib="dom" />
import type { Part } from "../../mod.ts";

/** The text with its parts in colour, and behind it what is held back. */
export class TextView {
  readonly #element: HTMLElement;
  readonly #waiting: HTMLElement;
  /** The last span, and the row of the table that it belongs to. */
  #last: { span: HTMLElement; kind: string; row: number } | undefined;
  /** The spans of open directives, and in them those of their openers. */
  readonly #directives = new Map<
    string,
    { span: HTMLElement; opener: HTMLElement }
  >();
  /** The directive that is open now: reasoning may be inside it. */
  #open: HTMLElement | undefined;

  constructor(element: HTMLElement) {
    this.#element = element;
    this.#waiting = document.createElement("span");
    this.#waiting.className = "waiting";
    this.clear();
  }

  clear(): void {
    this.#element.replaceChildren(this.#waiting);
    this.#waiting.textContent = "";
    this.#last = undefined;
    this.#directives.clear();
    this.#open = undefined;
  }

  /** Adds a part; `row` is its row in the table. */
  add(part: Part, row: number): void {
    switch (part.type) {
      case "text":
        this.#append(part.text, part.code ?? "", row);
        return;
      case "reasoning":
        // Reasoning in tags is part of the text, a provider's own is not.
        if (this.#open === undefined) this.#append(part.text, "reasoning", row);
        else this.#open.append(spanOf(part.text, "reasoning", row));
        return;
      case "tool-call":
        if (part.origin === "salvaged") {
          this.#append(part.raw, "call", row).title =
            `a call of ${part.toolName}`;
        }
        return;
      case "directive-start": {
        const span = this.#append("", "directive", row);
        const opener = spanOf(`<${part.name}>`, "", row);
        span.append(opener);
        this.#directives.set(part.id, { span, opener });
        this.#open = span;
        this.#last = undefined;
        return;
      }
      case "directive-delta":
        this.#directives.get(part.id)?.span.append(part.text);
        return;
      case "directive": {
        const open = this.#directives.get(part.id);
        if (open === undefined) this.#append(part.raw, "directive", row);
        else {
          // Now it is known how the tags were written.
          const begin = part.raw.indexOf(part.content);
          open.opener.textContent = part.raw.slice(0, begin);
          open.span.append(part.raw.slice(begin + part.content.length));
        }
        this.#directives.delete(part.id);
        this.#open = undefined;
        this.#last = undefined;
      }
    }
  }

  /** Shows what has come in and not yet out. */
  showWaiting(text: string): void {
    const atEnd = this.#element.scrollHeight - this.#element.scrollTop -
        this.#element.clientHeight < 80;
    this.#waiting.textContent = text;
    if (atEnd) this.#element.scrollTop = this.#element.scrollHeight;
  }

  /** Marks the spans of a row, or none. */
  mark(row: number | undefined): void {
    for (const span of this.#element.querySelectorAll(".here")) {
      span.classList.remove("here");
    }
    if (row === undefined) return;
    const spans = this.#element.querySelectorAll(`[data-row="${row}"]`);
    for (const span of spans) span.classList.add("here");
    spans[0]?.scrollIntoView({ block: "nearest" });
  }

  #append(text: string, kind: string, row: number): HTMLElement {
    const last = this.#last;
    if (last !== undefined && last.kind === kind && last.row === row) {
      last.span.append(text);
      return last.span;
    }
    const span = spanOf(text, kind, row);
    this.#waiting.before(span);
    this.#last = { span, kind, row };
    return span;
  }
}

function spanOf(text: string, kind: string, row: number): HTMLElement {
  const span = document.createElement("span");
  span.className = kind;
  span.dataset["row"] = `${row}`;
  span.textContent = text;
  return span;
}
