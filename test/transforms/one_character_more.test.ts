import { describe, expect, test } from "vitest";
import { alikeIn, oneMore } from "./one_character_more.ts";

describe("with one character more, the same ones make the same difference", () => {
  for (const [index, one] of oneMore().entries()) {
    const name = `${index + 1}: ${one.stage} ${JSON.stringify(one.input)}`;
    test(name, () => {
      expect(alikeIn(one)).toEqual(one.alike);
    }, 30_000);
  }
});
