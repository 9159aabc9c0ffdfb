import { expect, test } from "vitest";
import { estimateTokens } from "../../mod.ts";

test("three ASCII characters a token, one of any other, rounded up", () => {
  expect(estimateTokens("")).toBe(0);
  expect(estimateTokens("a")).toBe(1);
  expect(estimateTokens("abcdef")).toBe(2);
  expect(estimateTokens("abcd")).toBe(2);
  expect(estimateTokens("日本語")).toBe(3);
  // Each half of a pair counts: too much is safer than too little.
  expect(estimateTokens("\u{1f680}")).toBe(2);
});
