import { describe, expect, test } from "vitest";
import { ArraySniffer } from "../../../adapters/internal/array_sniffer.ts";
import { pieces } from "../../support/cases/wire_case.ts";

function sniffed(chunks: string[]): [boolean | undefined, string] {
  const sniffer = new ArraySniffer();
  let rest = "";
  let answer: boolean | undefined;
  for (const chunk of chunks) {
    if (answer === undefined) answer = sniffer.push(chunk);
    else rest += chunk;
  }
  return [answer, sniffer.take() + rest];
}

describe("ArraySniffer", () => {
  const texts: [string, boolean | undefined][] = [
    ['[{"a":1}]', true],
    ["\ufeff \r\n\t[ \n{", true],
    ["[]", true],
    ["[INFO] x", false],
    ["[1]", false],
    ["data: x", false],
    ['{"a":1}', false],
    ["\n: ping", false],
    ["", undefined],
    [" \n", undefined],
    ["[ ", undefined],
    [" ".repeat(1025), false],
    [`[${" ".repeat(1025)}`, false],
  ];
  test("tells arrays of objects from everything else, and keeps the text", () => {
    for (const [text, expected] of texts) {
      expect(sniffed([text])).toEqual([expected, text]);
      expect(sniffed(pieces(text, 1))).toEqual([expected, text]);
    }
  });
});
