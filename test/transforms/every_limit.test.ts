import { describe, expect, test } from "vitest";
import { everyLimit, outcomeAt, outcomesOf } from "./every_limit.ts";

describe("every value of a limit has its outcome, in every cutting", () => {
  for (const [index, one] of everyLimit().entries()) {
    const name = `${index + 1}: ${one.stage} ${one.option} ${
      JSON.stringify(one.input)
    }`;
    test(name, () => {
      expect(outcomesOf(one)).toEqual(one.outcomes);
      let before = "";
      for (const [from, outcome] of one.outcomes) {
        for (const size of [1, 7]) {
          expect(outcomeAt(one, from, size)).toBe(outcome);
          if (from > 0) expect(outcomeAt(one, from - 1, size)).toBe(before);
        }
        before = outcome;
      }
    });
  }
});
