/// <reference lib="dom" />
import type { Part } from "../../mod.ts";

/** Rows that are shown; the page stays quick. */
const MOST_ROWS = 1_000;

/** What a row says of a part. */
interface Row {
  kind: string;
  place: string;
  text: string;
  /** The class of its colour. */
  colour: string;
}

/** The parts as a table: neighbouring pieces of one thing in one row. */
export class PartsTable {
  readonly #body: HTMLElement;
  readonly #onMark: (row: number | undefined) => void;
  #count = 0;
  #last: { part: Part; text: HTMLElement; place: HTMLElement } | undefined;
  /** The rows of open directives and their content. */
  readonly #directives = new Map<string, { row: number; text: HTMLElement }>();

  /** `onMark` is told which row a pointer or the keyboard is on. */
  constructor(
    body: HTMLElement,
    onMark: (row: number | undefined) => void,
  ) {
    this.#body = body;
    this.#onMark = onMark;
  }

  clear(): void {
    this.#body.replaceChildren();
    this.#count = 0;
    this.#last = undefined;
    this.#directives.clear();
  }

  /** Adds a part; gives the number of its row. */
  add(part: Part): number {
    const last = this.#last;
    if (last !== undefined && goesOn(last.part, part)) {
      last.part = joined(last.part, part);
      const { place, text } = rowOf(last.part);
      last.place.textContent = place;
      last.text.textContent = text;
      return this.#count - 1;
    }
    if (part.type === "directive-delta") {
      const open = this.#directives.get(part.id);
      if (open !== undefined) {
        open.text.append(shown(part.text));
        return open.row;
      }
    }
    const row = this.#count++;
    if (row >= MOST_ROWS) {
      this.#showRest();
      return row;
    }
    const { kind, place, text, colour } = rowOf(part);
    const element = document.createElement("tr");
    element.tabIndex = 0;
    for (const event of ["pointerenter", "focus"]) {
      element.addEventListener(event, () => this.#onMark(row));
    }
    for (const event of ["pointerleave", "blur"]) {
      element.addEventListener(event, () => this.#onMark(undefined));
    }
    const label = document.createElement("span");
    label.className = colour;
    label.textContent = kind;
    const cells = [label, place, text].map((content) => {
      const cell = document.createElement("td");
      cell.append(content);
      element.append(cell);
      return cell;
    });
    this.#body.append(element);
    this.#last = { part, place: cells[1]!, text: cells[2]! };
    if (part.type === "directive-start") {
      this.#directives.set(part.id, { row, text: cells[2]! });
    }
    return row;
  }

  #showRest(): void {
    let rest = this.#body.querySelector<HTMLElement>("tr[data-rest] td");
    if (rest === null) {
      const element = document.createElement("tr");
      element.dataset["rest"] = "";
      rest = document.createElement("td");
      rest.setAttribute("colspan", "3");
      element.append(rest);
      this.#body.append(element);
    }
    rest.textContent = `and ${this.#count - MOST_ROWS} more`;
  }
}

/** Whether a part is more of the one before. */
function goesOn(before: Part, part: Part): boolean {
  if (before.type === "text" && part.type === "text") {
    return before.code === part.code &&
      before.start + before.text.length === part.start;
  }
  return before.type === "reasoning" && part.type === "reasoning" ||
    before.type === "tool-input-delta" && part.type === "tool-input-delta" &&
      before.toolCallId === part.toolCallId;
}

function joined(before: Part, part: Part): Part {
  if (before.type === "tool-input-delta" && part.type === "tool-input-delta") {
    return { ...before, delta: before.delta + part.delta };
  }
  if ("text" in before && "text" in part) {
    return { ...before, text: before.text + part.text } as Part;
  }
  return part;
}

function rowOf(part: Part): Row {
  const row = (text: string, colour = "", place = ""): Row => ({
    kind: part.type,
    place,
    text,
    colour,
  });
  const from = (start: number | undefined, end?: number): string =>
    start === undefined
      ? ""
      : end === undefined
      ? `${start}`
      : `${start}–${end}`;
  switch (part.type) {
    case "text":
      return {
        ...row(
          shown(part.text),
          part.code ?? "",
          from(part.start, part.start + part.text.length),
        ),
        kind: part.code === undefined ? "text" : `text, ${part.code}`,
      };
    case "reasoning":
      return row(shown(part.text), "reasoning");
    case "fence-start":
      return row(
        `${part.fence.marker} ${part.fence.info}`,
        "marker",
        from(part.fence.start),
      );
    case "fence-end":
      return row(
        part.closed ? "closed" : "never closed",
        "marker",
        from(part.end),
      );
    case "directive-start": {
      const attributes = Object.entries(part.attributes).map(([name, value]) =>
        ` ${name}=${JSON.stringify(value)}`
      ).join("");
      return row(
        `<${part.name}${attributes}> `,
        "directive",
        from(part.start),
      );
    }
    case "directive":
      return row(
        part.complete ? `</${part.name}>` : "cut",
        "directive",
        from(part.start, part.end),
      );
    case "tool-call":
      return row(
        `${part.toolName} ${JSON.stringify(part.input)}${
          part.origin === "salvaged" ? ` from the text (${part.dialect})` : ""
        }`,
        "call",
        part.origin === "salvaged" ? from(part.start, part.end) : "",
      );
    case "tool-call-partial":
      return row(
        `${part.toolName ?? "?"} ${part.inputText} (cut, must not run)`,
        "bad",
      );
    case "snippet":
      return row(
        [
          part.languageId ?? "no language",
          part.filePath ?? "no file",
          part.lineRange?.join("–"),
          part.closed ? undefined : "cut",
        ].filter((piece) => piece !== undefined).join(", "),
        "fence",
        from(part.start, part.end),
      );
    case "warning":
      return row(
        `${part.code}: ${part.message}`,
        "bad",
        from(part.start, part.end),
      );
    case "error":
      return row(part.error.message, "bad");
    case "finish":
      return row(
        `${part.reason}${part.complete ? "" : ", cut"}`,
        part.complete ? "marker" : "bad",
      );
    default: {
      const { type: _, ...rest } = part as unknown as Record<string, unknown>;
      return row(shown(JSON.stringify(rest)));
    }
  }
}

/** Text on one line. */
function shown(text: string): string {
  return text.replaceAll("\n", "⏎");
}
