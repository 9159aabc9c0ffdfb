import { createRequire } from "node:module";
import { describe, expect, test } from "vitest";
import { decodeEntity } from "../../../transforms/internal/entities.ts";

const { Parser } = createRequire(import.meta.url)("commonmark");

/** What commonmark.js makes of a reference. */
function theirs(reference: string): string {
  const walker = new Parser().parse(`x&${reference};x`).walker();
  let text = "";
  for (let event = walker.next(); event !== null; event = walker.next()) {
    if (event.entering && event.node.type === "text") {
      text += event.node.literal;
    }
  }
  return text.slice(1, -1);
}

/** The names of HTML 4, and `apos`. */
const NAMES =
  "AElig Aacute Acirc Agrave Alpha Aring Atilde Auml Beta Ccedil Chi " +
  "Dagger Delta ETH Eacute Ecirc Egrave Epsilon Eta Euml Gamma Iacute " +
  "Icirc Igrave Iota Iuml Kappa Lambda Mu Ntilde Nu OElig Oacute Ocirc " +
  "Ograve Omega Omicron Oslash Otilde Ouml Phi Pi Prime Psi Rho Scaron " +
  "Sigma THORN Tau Theta Uacute Ucirc Ugrave Upsilon Uuml Xi Yacute Yuml " +
  "Zeta aacute acirc acute aelig agrave alefsym alpha amp and ang apos " +
  "aring asymp atilde auml bdquo beta brvbar bull cap ccedil cedil cent " +
  "chi circ clubs cong copy crarr cup curren dArr dagger darr deg delta " +
  "diams divide eacute ecirc egrave empty emsp ensp epsilon equiv eta eth " +
  "euml euro exist fnof forall frac12 frac14 frac34 frasl gamma ge gt hArr " +
  "harr hearts hellip iacute icirc iexcl igrave image infin int iota " +
  "iquest isin iuml kappa lArr lambda lang laquo larr lceil ldquo le " +
  "lfloor lowast loz lrm lsaquo lsquo lt macr mdash micro middot minus mu " +
  "nabla nbsp ndash ne ni not notin nsub ntilde nu oacute ocirc oelig " +
  "ograve oline omega omicron oplus or ordf ordm oslash otilde otimes ouml " +
  "para part permil perp phi pi piv plusmn pound prime prod prop psi quot " +
  "rArr radic rang raquo rarr rceil rdquo real reg rfloor rho rlm rsaquo " +
  "rsquo sbquo scaron sdot sect shy sigma sigmaf sim spades sub sube sum " +
  "sup sup1 sup2 sup3 supe szlig tau there4 theta thetasym thinsp thorn " +
  "tilde times trade uArr uacute uarr ucirc ugrave uml upsih upsilon uuml " +
  "weierp xi yacute yen yuml zeta zwj zwnj";

describe("decodeEntity", () => {
  test("every name of HTML 4 is what commonmark.js takes it for", () => {
    const names = NAMES.split(" ");
    expect(new Set(names).size).toBe(253);
    for (const name of names) {
      expect([name, decodeEntity(name)]).toEqual([name, theirs(name)]);
      // Case counts, and so does every letter.
      for (const other of [`${name}x`, name.slice(0, -1)]) {
        const got = decodeEntity(other);
        if (!names.includes(other)) {
          expect([other, got]).toEqual([other, undefined]);
        }
      }
    }
    for (const name of ["", "Amp", "constructor", "toString", "39", "NaN"]) {
      expect([name, decodeEntity(name)]).toEqual([name, undefined]);
    }
  });

  test("numbers, decimal and hexadecimal", () => {
    for (
      const code of [
        1,
        0x26,
        0x7f,
        0xa0,
        0xd7ff,
        0xe000,
        0xffff,
        0x10000,
        0x10ffff,
      ]
    ) {
      const sign = String.fromCodePoint(code);
      expect(decodeEntity(`#${code}`)).toBe(sign);
      expect(decodeEntity(`#x${code.toString(16)}`)).toBe(sign);
      expect(decodeEntity(`#X${code.toString(16).toUpperCase()}`)).toBe(sign);
    }
    for (
      const code of [0, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0x110000, 9_999_999]
    ) {
      expect(decodeEntity(`#${code}`)).toBe("\ufffd");
    }
    for (
      const reference of [
        "#",
        "#x",
        "#X",
        "#12345678",
        "#x1234567",
        "#1a",
        "#xg",
        "#-1",
        "# 1",
        "##1",
        "#1 ",
      ]
    ) {
      expect([reference, decodeEntity(reference)]).toEqual([
        reference,
        undefined,
      ]);
    }
  });

  test("the C1 range is what browsers read: Windows-1252", () => {
    // Written out: not every runtime's own decoder knows them.
    const signs = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";
    for (let code = 0x80; code < 0xa0; code++) {
      const sign = signs[code - 0x80];
      expect([code, decodeEntity(`#${code}`)]).toEqual([code, sign]);
    }
    expect(decodeEntity("#127")).toBe("\x7f");
    expect(decodeEntity("#160")).toBe("\xa0");
  });
});
