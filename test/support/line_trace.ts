import {
  type LineKind,
  MarkdownLines,
  type MarkdownLinesOptions,
} from "../../transforms/internal/markdown_lines.ts";

/** What the line-state core tells, as short strings; neighbouring texts of a kind are one. */
export class LineTrace {
  readonly events: string[] = [];
  readonly lines: MarkdownLines;
  #text = "";
  #kind: LineKind | undefined;

  /**
   * @param options Of the lines.
   * @param onFence Sees every piece of fence text; what it returns is read again as prose.
   */
  constructor(
    options: MarkdownLinesOptions = {},
    onFence: (text: string) => string | undefined = () => undefined,
  ) {
    this.lines = new MarkdownLines(options, {
      text: (text, kind) => {
        const rest = kind === "fence" ? onFence(text) : undefined;
        if (rest !== undefined) {
          text = text.slice(0, text.length - rest.length);
        }
        if (kind !== this.#kind) this.#flush();
        this.#kind = kind;
        this.#text += text;
        if (rest !== undefined) this.lines.breakFence(rest);
      },
      fenceStart: (fence) => this.#add(`start ${fence.info} ${fence.start}`),
      fenceEnd: (_fence, closed, end) =>
        this.#add(`${closed ? "closed" : "ended"} ${end}`),
      paragraphEnd: () => this.#add("paragraph"),
      limit: (_message, start, end) => this.#add(`limit ${start} ${end}`),
    });
  }

  /** Reads all chunks to the end. */
  read(chunks: Iterable<string>): string[] {
    for (const chunk of chunks) this.lines.advance(chunk);
    this.lines.end();
    return this.take();
  }

  /** The events since the last call. */
  take(): string[] {
    this.#flush();
    return this.events.splice(0);
  }

  #add(event: string): void {
    this.#flush();
    this.events.push(event);
  }

  #flush(): void {
    if (this.#text !== "") this.events.push(`${this.#kind}: ${this.#text}`);
    this.#text = "";
    this.#kind = undefined;
  }
}
