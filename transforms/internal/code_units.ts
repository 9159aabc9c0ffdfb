/**
 * What kind of character a UTF-16 code unit is: the classes that more than one
 * file asks for. `NaN`, which is what `charCodeAt` gives behind the end, is in none.
 */

/** LF or CR. */
export function isLineEnd(unit: number): boolean {
  return unit === 0x0a || unit === 0x0d;
}

/** Space or tab. */
export function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x09;
}

/** What JSON and most markup take for white space: space, tab, LF, CR. */
export function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;
}

/** A letter of ASCII. */
export function isLetter(unit: number): boolean {
  const lower = unit | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

/** A digit of ASCII. */
export function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}
