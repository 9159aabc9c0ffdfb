import { expect, test } from "vitest";
import { parsePythonLiteral } from "../../../transforms/internal/python_literal.ts";

/** The value, or nothing when the text is none. */
function read(text: string): unknown {
  const got = parsePythonLiteral(text);
  return got.ok ? got.value : undefined;
}

test("numbers of Python, in every notation", () => {
  for (
    const [text, value] of [
      ["0", 0],
      ["00", 0],
      ["7", 7],
      ["-7", -7],
      ["+7", 7],
      ["-0", 0],
      ["1_000", 1000],
      ["0x1F", 31],
      ["0Xab", 171],
      ["0x1_0", 16],
      ["0x_1_e", 30],
      ["1e1_0", 1e10],
      ["0o17", 15],
      ["0O7", 7],
      ["0b101", 5],
      ["0B1", 1],
      ["-0b10", -2],
      ["1.5", 1.5],
      ["1.", 1],
      [".5", 0.5],
      ["1e3", 1000],
      ["1E+3", 1000],
      ["1.5e-3", 0.0015],
      ["1_0.5", 10.5],
      ["9007199254740991", 9007199254740991],
      ["0x1fffffffffffff", 9007199254740991],
    ] as const
  ) expect([text, read(text)]).toEqual([text, value]);
});

test("what is no number, or would lose digits", () => {
  for (
    const text of [
      "01",
      "1__0",
      "_1",
      "1_",
      "1_.5",
      "1._5",
      "1__0.5",
      "1.5_",
      "1_e5",
      "1e_5",
      "0_x1",
      "0x1__0",
      "0x1_",
      "0x",
      "0xg",
      "0o8",
      "0b2",
      "0b",
      "1e",
      "1e+",
      ".",
      "1.2.3",
      "--1",
      "1-",
      "0x20000000000000",
      "9007199254740993",
      "1e400",
    ]
  ) expect([text, read(text)]).toEqual([text, undefined]);
});
