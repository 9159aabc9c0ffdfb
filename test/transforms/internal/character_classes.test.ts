import { describe, expect, test } from "vitest";
import type { PatternElement } from "../../../transforms/dialect.ts";
import { isContainerName } from "../../../transforms/internal/directive_container.ts";
import {
  isHtmlSpace,
  isTagName,
} from "../../../transforms/internal/directive_tag.ts";
import {
  isNamePart,
  isNameStart,
} from "../../../transforms/internal/json_scanner.ts";
import { isJSONNumber } from "../../../transforms/internal/lenient_json.ts";
import {
  CALL_OPEN,
  TokenProgram,
} from "../../../transforms/internal/token_program.ts";

/** All of Latin and Greek, and both sides of every border further up. */
const UNITS: readonly number[] = [
  ...new Array(0x400).keys(),
  ...[
    0x1680,
    0x2000,
    0x2028,
    0x206f,
    0x2581,
    0x3000,
    0x303f,
    0xd83d,
    0xde00,
    0xfe00,
    0xfeff,
    0xff5c,
    0xffff,
  ].flatMap((unit) => [unit - 1, unit, Math.min(unit + 1, 0xffff)]),
];

/** Fails with the code units that a test takes for others than an expression does. */
function compare(
  is: (unit: number, character: string) => boolean,
  expression: RegExp,
): void {
  const wrong = UNITS.filter((unit) => {
    const character = String.fromCharCode(unit);
    return is(unit, character) !== expression.test(character);
  });
  expect(wrong.map((unit) => unit.toString(16))).toEqual([]);
}

/** Whether a code unit counts as an element of a pattern, between two signs. */
function matches(
  match: PatternElement["match"],
): (unit: number, character: string) => boolean {
  const program = new TokenProgram([
    [CALL_OPEN, [["@@", { match }, "\ue000"]]],
  ]);
  return (_unit, character) => {
    const token = `@@${character}\ue000`;
    let nodes: readonly number[] = [0];
    let accepted: readonly number[] = [];
    for (let at = 0; at < token.length; at++) {
      ({ nodes, accepted } = program.step(nodes, token.charCodeAt(at), ~0));
    }
    if (accepted.length === 0) return false;
    // What is walked over is what is taken out of it.
    const { name, key } = program.captures(accepted[0]!, token);
    if (/^(?:name|key)$/.test(match)) expect(name ?? key).toBe(character);
    return true;
  };
}

describe("what characters count as", () => {
  test("elements of patterns", () => {
    compare(matches("space"), /[ \t\r\n]/);
    compare(matches("blanks"), /[ \t]/);
    compare(matches("name"), /(?=[!-\uffff])[^"'<>(){}[\],;=|\\`\u2581\uff5c]/);
    compare(matches("key"), /(?=[ -\uffff])[^/<>]/);
    compare(matches("word"), /[\w-]/);
    compare(matches("digits"), /\d/);
  });

  test("names of directives and containers", () => {
    compare((_, one) => isTagName(one), /[^<>/="'` \t\n\f\r]/);
    compare((_, one) => isTagName(`a${one}b`), /[^<>/="'` \t\n\f\r]/);
    compare((_, one) => isContainerName(one), /[\w\-\x80-\uffff]/);
    compare((_, one) => isContainerName(`a${one}b`), /[\w\-\x80-\uffff]/);
    compare((unit) => isHtmlSpace(unit), /[ \t\n\f\r]/);
    expect([isTagName(""), isContainerName("")]).toEqual([false, false]);
  });

  test("names without quotes", () => {
    const start = /[A-Za-z_$\u00c0-\u1fff\u2070-\u2fff\u3040-\ufdff]/;
    compare(
      (unit) => isNameStart(unit),
      new RegExp(`(?!\\u1680)${start.source}`),
    );
    compare(
      (unit) => isNamePart(unit),
      new RegExp(`(?!\\u1680)(?:${start.source}|[0-9])`),
    );
  });

  test("numbers", () => {
    const expression = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
    const signs = ["-", "0", "1", "9", ".", "e", "E", "+", " ", "x"];
    let texts = [""];
    for (let length = 0; length < 5; length++) {
      const wrong = texts.filter((text) =>
        isJSONNumber(text) !== expression.test(text)
      );
      expect(wrong).toEqual([]);
      texts = texts.flatMap((text) => signs.map((sign) => text + sign));
    }
  });
});
