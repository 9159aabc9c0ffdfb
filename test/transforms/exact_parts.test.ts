import { describe, expect, test } from "vitest";
import { exactParts, partsOf, resumedWith, runWith } from "./exact_parts.ts";

const LINES = [...exactParts().entries()].map(([index, one]) => ({
  one,
  name: `${index + 1}: ${one.stage} ${JSON.stringify(one.input.slice(0, 60))}`,
}));

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
      const { parts, held } = runWith(one, one.input.split(""));
      expect(parts).toEqual(one.parts);
      const later = (one.held ?? []).flatMap((most, at) =>
        held[at]! > most ? [{ at, most, held: held[at] }] : []
      );
      expect(later).toEqual([]);
    });
  }
});

describe("resumed from snapshots the same", () => {
  for (const { name, one } of LINES) {
    test(name, () => {
      // Resuming costs most: of long texts only at some places.
      const size = 1 + (one.input.length >> 6);
      const chunks: string[] = [];
      for (let at = 0; at < one.input.length; at += size) {
        chunks.push(one.input.slice(at, at + size));
      }
      expect(resumedWith(one, chunks)).toEqual(one.parts);
    });
  }
});
