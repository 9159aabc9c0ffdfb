import { describe, expect, test } from "vitest";
import {
  cutUp,
  exactParts,
  partsOf,
  resumedWith,
  runWith,
} from "./exact_parts.ts";

const LINES = [...exactParts().entries()].map(([index, one]) => {
  const input = JSON.stringify(one.input);
  return {
    one,
    length: input.length,
    name: `${index + 1}: ${one.stage} ${input.slice(0, 60)}`,
  };
});

describe("everything that comes out of a text", () => {
  for (const { name, one } of LINES) {
    test(name, () => {
      expect(partsOf(one)).toEqual(one.parts);
    });
  }
});

describe("one code unit at a time the same, and no later", () => {
  for (const { name, one } of LINES) {
    test(name, () => {
      const { parts, held } = runWith(one, cutUp(one));
      expect(parts).toEqual(one.parts);
      const later = (one.held ?? []).flatMap((most, at) =>
        held[at]! > most ? [{ at, most, held: held[at] }] : []
      );
      expect(later).toEqual([]);
      if (one.waited !== undefined) {
        expect(held.reduce((sum, count) => sum + count, 0))
          .toBeLessThanOrEqual(one.waited);
      }
    });
  }
});

describe("resumed from snapshots the same", () => {
  for (const { name, one, length } of LINES) {
    test(name, () => {
      // Resuming costs most: of long texts only at some places.
      const chunks = cutUp(one, 1 + (length >> 6));
      expect(resumedWith(one, chunks)).toEqual(one.parts);
    });
  }
});
