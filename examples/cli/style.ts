/** Wraps text in a terminal style, or leaves it as it is. */
export type Style = (text: string) => string;

/** The styles of the pretty output. */
export interface Styles {
  dim: Style;
  bold: Style;
  cyan: Style;
  green: Style;
  magenta: Style;
  yellow: Style;
  red: Style;
}

/** Terminal styles, or none: for pipes, and where NO_COLOR is set. */
export function makeStyles(colours: boolean): Styles {
  const style = (open: number, close: number): Style =>
    colours
      ? (text) => text === "" ? "" : `\x1b[${open}m${text}\x1b[${close}m`
      : (text) => text;
  return {
    dim: style(2, 22),
    bold: style(1, 22),
    cyan: style(36, 39),
    green: style(32, 39),
    magenta: style(35, 39),
    yellow: style(33, 39),
    red: style(31, 39),
  };
}

/**
 * Streamed text is hostile: a terminal must not obey it. Control characters
 * other than tab and line feed become visible pictures of themselves, and
 * bidirectional controls their code point.
 */
export function harmless(text: string): string {
  let safe = "";
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    let instead: string | undefined;
    if (unit === 0x7f) instead = "\u2421";
    else if (unit < 0x20 && unit !== 0x0a && unit !== 0x09) {
      // A carriage return of a line end needs no picture.
      instead = unit === 0x0d && text.charCodeAt(at + 1) === 0x0a
        ? ""
        : String.fromCharCode(0x2400 + unit);
    } else if (
      (unit >= 0x80 && unit < 0xa0) || (unit >= 0x202a && unit <= 0x202e) ||
      (unit >= 0x2066 && unit <= 0x2069)
    ) instead = `<U+${unit.toString(16).toUpperCase().padStart(4, "0")}>`;
    if (instead === undefined) continue;
    safe += text.slice(from, at) + instead;
    from = at + 1;
  }
  return from === 0 ? text : safe + text.slice(from);
}
