import { shown, type Table } from "./table.ts";

const ROW = 22;
const NAMES = 300;
const BARS = 420;
const LABEL = 90;

function escaped(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(
    />/g,
    "&gt;",
  );
}

/** A table as bars, with a line at every gate; readable on light and dark ground. */
export function plot({ title, unit, figures, about }: Table): string {
  const most = Math.max(
    ...figures.map(({ value, gate = 0 }) => Math.max(value, gate)),
  );
  const scale = most > 0 ? BARS / most : 0;
  const width = NAMES + BARS + LABEL;
  const height = 40 + figures.length * ROW + 24;
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="13">`,
    "<style>text{fill:#24292f}.bar{fill:#4078c0}.gate{stroke:#cf222e;stroke-width:2}@media(prefers-color-scheme:dark){text{fill:#d0d7de}.bar{fill:#6ca4f8}.gate{stroke:#ff7b72}}</style>",
    `<text x="8" y="20" font-weight="600">${escaped(title)}, ${
      escaped(unit)
    }</text>`,
  ];
  for (const [index, { name, value, gate }] of figures.entries()) {
    const y = 34 + index * ROW;
    const length = Math.max(1, value * scale);
    lines.push(
      `<text x="${NAMES - 8}" y="${y + 15}" text-anchor="end">${
        escaped(name)
      }</text>`,
      `<rect class="bar" x="${NAMES}" y="${y + 3}" width="${
        length.toFixed(1)
      }" height="${ROW - 6}" rx="2"/>`,
      `<text x="${(NAMES + length + 6).toFixed(1)}" y="${y + 15}">${
        shown(value)
      }</text>`,
    );
    if (gate !== undefined) {
      const x = (NAMES + gate * scale).toFixed(1);
      lines.push(
        `<line class="gate" x1="${x}" x2="${x}" y1="${y}" y2="${y + ROW}"/>`,
      );
    }
  }
  lines.push(
    `<text x="8" y="${height - 8}" font-size="11">${escaped(about)}</text>`,
    "</svg>",
  );
  return `${lines.join("\n")}\n`;
}
