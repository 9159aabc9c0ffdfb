import { describe, expect, test } from "vitest";
import { decodeEntity } from "../../../transforms/internal/entities.ts";
import {
  decodeInfo,
  makeFence,
} from "../../../transforms/internal/info_string.ts";

describe("character references", () => {
  const cases: Record<string, string | undefined> = {
    "amp": "&",
    "lt": "<",
    "apos": "'",
    "nbsp": "\u00a0",
    "ouml": "ö",
    "yuml": "ÿ",
    "AElig": "Æ",
    "Omega": "Ω",
    "thetasym": "ϑ",
    "hellip": "…",
    "there4": "∴",
    "lang": "\u27e8",
    "rang": "\u27e9",
    "diams": "♦",
    "AMPX": undefined,
    "constructor": undefined,
    "160": undefined,
    "#38": "&",
    "#x1F600": "\u{1f600}",
    "#X41": "A",
    "#0": "\ufffd",
    "#xD800": "\ufffd",
    "#x110000": "\ufffd",
    "#128": "€",
    "#x9f": "Ÿ",
    "#129": "\x81",
    "#": undefined,
    "#x": undefined,
    "#12345678": undefined,
    "#x1234567": undefined,
    "#3a": undefined,
  };
  for (const [reference, expected] of Object.entries(cases)) {
    test(reference, () => {
      expect(decodeEntity(reference)).toBe(expected);
    });
  }
});

describe("info strings", () => {
  test("escapes and references are decoded once", () => {
    expect(decodeInfo("f\\+o&amp;o")).toBe("f+o&o");
    expect(decodeInfo("&amp;lt;")).toBe("&lt;");
    expect(decodeInfo("\\&amp;")).toBe("&amp;");
    expect(decodeInfo("\\\\&#35;")).toBe("\\#");
    expect(decodeInfo("C:\\dir &unknown; &amp")).toBe("C:\\dir &unknown; &amp");
  });

  test("language and meta", () => {
    expect(makeFence("1", "```", '  ts  title="a" {1} ', 3)).toEqual({
      id: "1",
      info: 'ts  title="a" {1}',
      language: "ts",
      meta: 'title="a" {1}',
      marker: "```",
      start: 3,
    });
    expect(makeFence("1", "~~~", " c++\t", 0)).toEqual({
      id: "1",
      info: "c++",
      language: "c++",
      marker: "~~~",
      start: 0,
    });
    expect(makeFence("1", "~~~", "", 0)).toEqual({
      id: "1",
      info: "",
      marker: "~~~",
      start: 0,
    });
  });
});
