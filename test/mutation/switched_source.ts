import type { Mutant } from "./mutants.ts";

/** The name of the function in the sources that tells whether a mutant is on. */
export const SWITCH = "millraceMutant";

/**
 * A source in which every mutant can be switched on while it runs: each unit
 * becomes `switch(id) ? mistake : unit`. So that the project has to be loaded
 * once, not once a mutant.
 *
 * @param mutants Mutants of this source with their ids.
 */
export function switchedSource(
  source: string,
  mutants: readonly (Mutant & { id: number })[],
): string {
  // Outer ones first; units are nodes of one tree, none overlap in part.
  const order = [...mutants].sort((a, b) =>
    a.start - b.start || b.end - a.end ||
    Number(a.unit === "expression") - Number(b.unit === "expression")
  );
  let next = 0;
  const render = (from: number, to: number): string => {
    const pieces: string[] = [];
    let at = from;
    while (next < order.length && order[next]!.start < to) {
      const one = order[next]!;
      const same: (Mutant & { id: number })[] = [];
      while (
        next < order.length && order[next]!.start === one.start &&
        order[next]!.end === one.end && order[next]!.unit === one.unit
      ) same.push(order[next++]!);
      pieces.push(source.slice(at, one.start));
      const inside = render(one.start, one.end);
      pieces.push(
        one.unit === "block"
          ? ` if (!globalThis.${SWITCH}(${one.id})) { ${inside} } `
          : same.reduceRight(
            (rest, { id, replacement }) =>
              `(globalThis.${SWITCH}(${id}) ? (${replacement}) : ${rest})`,
            `(${inside})`,
          ),
      );
      at = one.end;
    }
    pieces.push(source.slice(at, to));
    return pieces.join("");
  };
  return render(0, source.length);
}
