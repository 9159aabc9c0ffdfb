import { describe, expect, test } from "vitest";
import { DirectiveExtractorStream, parse, type Part } from "../../../mod.ts";
import { merged } from "../../laws.ts";

/** Text, and content in brackets, of a message in which `think` is reasoning. */
function read(text: string): unknown[] {
  const stream = (): DirectiveExtractorStream =>
    new DirectiveExtractorStream({
      directives: { think: { as: "reasoning" } },
    });
  const whole = merged(parse(text, stream()));
  const pieces = merged(
    parse(
      text.split("").map((sign, start): Part => ({
        type: "text",
        text: sign,
        start,
      })),
      stream(),
    ),
  );
  expect(pieces).toEqual(whole);
  return whole.flatMap((part): unknown[] =>
    part.type === "text"
      ? [part.text]
      : part.type === "directive"
      ? [[part.content, part.complete]]
      : []
  );
}

describe("the closer of reasoning behind an open run of ticks", () => {
  test("a span elsewhere on its line does not hide it", () => {
    expect(read("<think>`a` ` y</think>\nz")).toEqual([
      ["`a` ` y", true],
      "\nz",
    ]);
    expect(read("<think>` y</think>\n`b` z` x"))
      .toEqual([["` y", true], "\n`b` z` x"]);
  });

  test("one around it does, and the next closer counts", () => {
    expect(read("<think>` y</think> ` b</think>c"))
      .toEqual([["` y</think> ` b", true], "c"]);
    expect(read("<think>`` ` y</think> `` b</think>c"))
      .toEqual([["`` ` y</think> `` b", true], "c"]);
  });

  test("the end of the stream is the end of its line", () => {
    expect(read("<think>a ` b</think>")).toEqual([["a ` b", true]]);
    expect(read("<think>a ` b</think")).toEqual([["a ` b</think", false]]);
  });
});
