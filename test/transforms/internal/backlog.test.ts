import { describe, expect, test } from "vitest";
import fc from "fast-check";
import { Backlog } from "../../../transforms/internal/backlog.ts";
import { CallSurroundings } from "../../../transforms/internal/call_surroundings.ts";
import { flagsOf } from "../../../transforms/internal/text_flags.ts";
import { RUNS } from "../../laws.ts";

function filled(...pieces: string[]): Backlog {
  const backlog = new Backlog();
  for (const piece of pieces) backlog.add(piece, flagsOf(piece));
  return backlog;
}

describe("Backlog", () => {
  test("forgets what comes before the last paragraph", () => {
    const backlog = filled("- a `b\n", "\n", "Next", " one");
    expect(backlog.length).toBe(16);
    expect(backlog.forget(100, false)).toBe(8);
    expect(backlog.length).toBe(8);
    expect(backlog.take()).toBe("Next one");
    expect(backlog.length).toBe(0);
  });

  test("what goes on over blank lines, cut anywhere, also when half was taken", () => {
    const tags = ["<!", "<?", "<pre", "<script", "<style", "<textarea"]
      .flatMap((tag) => [tag, tag.toUpperCase()]);
    for (const tag of tags) {
      for (const before of ["", "a ", "<p> <"]) {
        for (let at = 0; at <= tag.length; at++) {
          const first = before + tag.slice(0, at);
          const rest = `${tag.slice(at)}\n\nb`;
          expect(filled(first, rest).forget(100, false), first).toBe(0);
          const taken = filled(first);
          expect(taken.take()).toBe(first);
          taken.add(rest, flagsOf(rest));
          expect(taken.forget(100, false), first).toBe(0);
          const watched = new Backlog();
          for (const one of first) watched.watch(one);
          watched.add(rest, flagsOf(rest));
          expect(watched.forget(100, false), first).toBe(0);
        }
      }
    }
    for (
      const tag of [
        "<p",
        "<pe",
        "<pra",
        "<s",
        "<sa",
        "<span",
        "<td",
        "<tez",
        "<a",
      ]
    ) {
      for (let at = 0; at <= tag.length; at++) {
        const taken = filled(tag.slice(0, at));
        taken.take();
        const rest = `${tag.slice(at)}>\n\nb`;
        taken.add(rest, flagsOf(rest));
        expect(taken.forget(100, false), tag).toBe(rest.length - 1);
      }
    }
  });

  test("forgets nothing that matters", () => {
    const kept = [
      ["a\n", "b"],
      ["a\n\n", "  b"],
      ["a\n\n", "- b"],
      ["a\n\n"],
      ["``", "`\n\nb"],
      ["~~~\n\nb"],
      ["<pr", "e>\n\nb"],
      ["<!-- a\n\nb"],
    ];
    for (const pieces of kept) {
      expect(filled(...pieces).forget(100, false), JSON.stringify(pieces)).toBe(
        0,
      );
    }
    expect(filled("a\n\nlong").forget(4, false)).toBe(0);
    const marked = filled("a\n\nb");
    marked.mark();
    expect(marked.forget(100, false)).toBe(0);
    const html = filled("a");
    html.take();
    html.watch("<script>");
    html.add("a\n\nb", -1);
    expect(html.forget(100, false)).toBe(0);
  });

  test("whether code may begin or end", () => {
    expect(filled("a", "b").plain).toBe(true);
    expect(filled("a", "`").plain).toBe(false);
    expect(filled("~").plain).toBe(false);
    const backlog = filled("a");
    backlog.mark();
    expect(backlog.plain).toBe(false);
    backlog.take();
    expect(backlog.plain).toBe(true);
  });

  test("a snapshot goes on", () => {
    const pieces = ["a\n\nb <sc", "ript>\n", "\nc"];
    const first = filled(pieces[0]!);
    expect(first.forget(100, false)).toBe(3);
    const second = new Backlog(JSON.parse(JSON.stringify(first.snapshot())));
    for (const piece of pieces.slice(1)) second.add(piece, -1);
    expect(second.forget(100, false)).toBe(0);
    expect(second.take()).toBe("b <script>\n\nc");
  });

  test("forgetting changes nothing about what surrounds a place", () => {
    const word = fc.constantFrom(
      ...'`|``|```|~~~|\n|\n\n|\n\nA b|\r\n| |    |a|"|“|”|> |- |<pre>|</pre>|<!--|-->|<div>|x `y` z\n\nNext\n'
        .split("|"),
      "A line of text.\n\n".repeat(90),
    );
    const property = fc.property(
      fc.array(word, { maxLength: 60 }),
      fc.constantFrom(1, 7, 5_000),
      (words, size) => {
        const text = words.join("");
        const passed = new CallSurroundings();
        const asked = new CallSurroundings();
        for (let from = 0; from < text.length; from += size) {
          const piece = text.slice(from, from + size);
          passed.pass(piece, flagsOf(piece));
        }
        for (const [piece] of text.matchAll(/[^`]?`*/g)) {
          if (piece === "") continue;
          asked.pass(piece, -1);
          asked.quoting("<");
        }
        expect(passed.quoting("<")).toBe(asked.quoting("<"));
        expect(passed.blank).toBe(asked.blank);
        expect(passed.closers).toBe(asked.closers);
      },
    );
    fc.assert(property, { numRuns: RUNS });
  });
});
