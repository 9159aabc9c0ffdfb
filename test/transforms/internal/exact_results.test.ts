import { describe, expect, test } from "vitest";
import { exactResults, outcomeOf } from "./exact_results.ts";

describe("what functions give", () => {
  for (const [index, one] of exactResults().entries()) {
    const what = JSON.stringify(one.arguments).slice(0, 80);
    test(`${index + 1}: ${one.function} ${what}`, async () => {
      const given = JSON.stringify(one.arguments);
      const outcome = await outcomeOf(one);
      expect(JSON.stringify(outcome)).toBe(JSON.stringify(one));
      // Nothing that is given is changed.
      expect(JSON.stringify(one.arguments)).toBe(given);
    });
  }
});
