/// <reference lib="dom" />
import type { Held } from "../probe.ts";

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 600;
const HEIGHT = 120;
/** Room for the words at the top and the bottom. */
const MARGIN = 16;
/** Points that are drawn; of those between, the highest. */
const MOST_POINTS = 300;

/** The colour of each stage, whichever of them are there. */
const STAGES = ["sanitizer", "salvager", "fences", "directives", "snippets"];

/** What every stage held back after every chunk, one area on the other. */
export class HoldPlot {
  readonly #element: HTMLElement;
  #history: Held[][] = [];

  constructor(element: HTMLElement) {
    this.#element = element;
  }

  /** How many characters were held at most. */
  get most(): number {
    return this.#history.reduce((most, held) => Math.max(most, sum(held)), 0);
  }

  clear(): void {
    this.#history = [];
  }

  add(held: Held[]): void {
    this.#history.push(held);
  }

  /** Draws; `steps` is how many there will be. */
  draw(steps: number): void {
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
    svg.setAttribute("preserveAspectRatio", "none");
    svg.setAttribute("role", "img");
    const { most } = this;
    svg.setAttribute(
      "aria-label",
      `Characters held back after each chunk, at most ${most}`,
    );
    const columns = columnsOf(this.#history);
    const names = this.#history.at(-1)?.map(({ name }) => name) ?? [];
    const across = WIDTH / Math.max(1, Math.ceil(steps / binOf(this.#history)));
    const up = (HEIGHT - 2 * MARGIN) / Math.max(1, most);
    const base = columns.map(() => 0);
    for (const [index, name] of names.entries()) {
      const lower = base.map((value, at) => point(at, value, across, up));
      for (const [at, column] of columns.entries()) {
        base[at]! += column[index] ?? 0;
      }
      const upper = base.map((value, at) => point(at, value, across, up));
      const path = document.createElementNS(SVG, "path");
      path.setAttribute("class", `stage-${STAGES.indexOf(name)}`);
      path.setAttribute(
        "d",
        upper.length === 0
          ? ""
          : `M${upper.flat().join("L")}L${lower.flat().reverse().join("L")}Z`,
      );
      svg.append(path);
    }
    this.#element.replaceChildren(
      svg,
      this.#list(),
    );
  }

  /** What each stage holds now. */
  #list(): HTMLElement {
    const list = document.createElement("ul");
    for (const { name, length, text } of this.#history.at(-1) ?? []) {
      const item = document.createElement("li");
      const colour = document.createElement("i");
      colour.className = `stage-${STAGES.indexOf(name)}`;
      const held = document.createElement("code");
      if (length > 0) held.textContent = JSON.stringify(text);
      item.append(colour, `${name} ${length}`, held);
      list.append(item);
    }
    return list;
  }
}

function sum(held: readonly Held[]): number {
  return held.reduce((all, { length }) => all + length, 0);
}

/** How many steps share a point. */
function binOf(history: readonly Held[][]): number {
  return Math.max(1, Math.ceil(history.length / MOST_POINTS));
}

/** The lengths to draw, by point and stage. */
function columnsOf(history: readonly Held[][]): number[][] {
  const bin = binOf(history);
  const columns: number[][] = [];
  for (let from = 0; from < history.length; from += bin) {
    const steps = history.slice(from, from + bin);
    const highest = steps.reduce((a, b) => sum(b) > sum(a) ? b : a);
    columns.push(highest.map(({ length }) => length));
  }
  return columns;
}

/** Both corners of a step's bar. */
function point(
  at: number,
  value: number,
  across: number,
  up: number,
): string[] {
  const y = (HEIGHT - MARGIN - value * up).toFixed(1);
  return [
    `${(at * across).toFixed(1)} ${y}`,
    `${((at + 1) * across).toFixed(1)} ${y}`,
  ];
}
