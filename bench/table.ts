/** A figure of a table. */
export interface Figure {
  /** What it is of. */
  name: string;
  value: number;
  /** What is shown beside it: quartiles, an absolute time. */
  note?: string;
  /** The largest (or, with `atLeast`, smallest) value that is allowed, and the one to reach. */
  gate?: number;
  target?: number;
  atLeast?: boolean;
}

/** What was measured, ready to be printed, stored and drawn. */
export interface Table {
  /** Names its files. */
  id: string;
  title: string;
  /** Unit of the values, such as `"× identity"`. */
  unit: string;
  /** The command and what else has to be known. */
  about: string;
  figures: Figure[];
  /** What was left out, and why. */
  skipped?: string[];
}

/** How a benchmark is run. */
export interface Run {
  quick: boolean;
  /** `"node"`, `"deno"` or `"bun"`. */
  runtime: string;
}

/** Whether a figure breaks its gate. */
export function breaks({ value, gate, atLeast = false }: Figure): boolean {
  if (gate === undefined) return false;
  return atLeast ? value < gate : value > gate;
}

/** A number with three significant digits. */
export function shown(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  return size >= 100
    ? value.toFixed(0)
    : size >= 10
    ? value.toFixed(1)
    : value.toFixed(2);
}

/** A table as lines of text. */
export function printed({ title, unit, figures, skipped = [] }: Table): string {
  const width = Math.max(...figures.map(({ name }) => name.length), 20);
  const lines = [`\n${title} (${unit})`];
  for (const figure of figures) {
    const { name, value, note = "", gate, target, atLeast } = figure;
    const bound = atLeast ? "at least" : "at most";
    lines.push(
      [
        `  ${name.padEnd(width)}${shown(value).padStart(9)}  ${note}`.trimEnd(),
        target === undefined ? "" : `  target ${shown(target)}`,
        gate === undefined ? "" : `  gate ${shown(gate)}`,
        breaks(figure) ? `  BREACH: ${bound} ${shown(gate!)} is allowed` : "",
      ].join(""),
    );
  }
  for (const one of skipped) lines.push(`  skipped: ${one}`);
  return lines.join("\n");
}
