import {
  makeSnapshot,
  openSnapshot,
} from "../../../transforms/internal/snapshot.ts";
import type { Emit, Stage } from "../../../transforms/stage.ts";
import {
  JSONLMachine,
  type JSONLMachineSnapshot,
} from "../../internal/jsonl_machine.ts";
import {
  LineMachine,
  type LineMachineSnapshot,
} from "../../internal/line_machine.ts";
import { excerptOf, limitOf } from "../../internal/limits.ts";
import {
  TextInput,
  type TextInputSnapshot,
} from "../../internal/text_input.ts";
import type { Message, SessionStreamOptions } from "../message.ts";
import {
  DocumentSplitter,
  type DocumentSplitterSnapshot,
} from "./document_splitter.ts";
import { MessageWindow, type MessageWindowSnapshot } from "./message_window.ts";
import type { Place, RecordReader, SessionFormat } from "./session_format.ts";
import { SnippetFinder } from "./snippets_of.ts";

/** The longest line by default: images and whole files are in them. */
export const LONGEST_LINE = 67_108_864;

interface State {
  input: TextInputSnapshot;
  framing: unknown;
  window: MessageWindowSnapshot;
  reader: unknown;
}

/** Text in, records out. */
interface Framing {
  push(text: string): void;
  end(): void;
  snapshot(): unknown;
}

/** A stored session of a known format: bytes in, messages out. */
export class SessionStage implements Stage<string | Uint8Array, Message> {
  readonly #format: SessionFormat;
  readonly #input: TextInput;
  readonly #framing: Framing;
  readonly #window: MessageWindow;
  readonly #reader: RecordReader;
  #emit: Emit<Message> = () => {};
  readonly #text = (text: string): void => this.#framing.push(text);

  constructor(format: SessionFormat, options: SessionStreamOptions) {
    const { onWarning } = options;
    const state = openSnapshot<State>(
      `session-${format.name}`,
      options.snapshot,
    );
    this.#format = format;
    this.#input = new TextInput(false, onWarning, state?.input);
    const finder = new SnippetFinder({
      ...options,
      toolEdits: options.toolEdits === false
        ? false
        : [...format.toolEdits ?? [], ...options.toolEdits ?? []],
      tagBlocks: format.tagBlocks ?? false,
    });
    this.#window = new MessageWindow(
      {
        maxOpenMessages: limitOf(
          "maxOpenMessages",
          options.maxOpenMessages,
          256,
        ),
        maxOpenChars: limitOf("maxOpenChars", options.maxOpenChars, 33_554_432),
      },
      finder,
      (message) => this.#emit(message),
      state?.window,
    );
    const warn = (code: string, message: string, { line }: Place): void =>
      onWarning?.({
        type: "warning",
        code,
        message,
        ...(line === undefined ? {} : { line }),
      });
    this.#reader = format.reader({ window: this.#window, warn }, state?.reader);
    this.#framing = framingOf(
      format,
      limitOf("maxLineChars", options.maxLineChars, LONGEST_LINE),
      this.#reader,
      warn,
      state?.framing,
    );
  }

  push(chunk: string | Uint8Array, emit: Emit<Message>): void {
    this.#emit = emit;
    this.#input.push(chunk, this.#text);
    if (this.#input.failure !== undefined) throw this.#input.failure;
  }

  end(emit: Emit<Message>): void {
    this.#emit = emit;
    this.#input.end(this.#text);
    this.#framing.end();
    this.#reader.end();
    this.#window.flush();
  }

  /** Messages that are whole, as far as anyone can tell. */
  breakOff(emit: Emit<Message>): void {
    this.end(emit);
  }

  snapshot(): unknown {
    const state: State = {
      input: this.#input.snapshot(),
      framing: this.#framing.snapshot(),
      window: this.#window.snapshot(),
      reader: this.#reader.snapshot(),
    };
    return makeSnapshot(`session-${this.#format.name}`, state);
  }
}

type Warn = (code: string, message: string, place: Place) => void;

function framingOf(
  format: SessionFormat,
  maxLineChars: number,
  reader: RecordReader,
  warn: Warn,
  snapshot: unknown,
): Framing {
  switch (format.framing) {
    case "json-lines":
      return new JSONLMachine(
        {
          maxLineChars,
          concatenated: false,
          recordSeparator: false,
          unwrap: false,
          stripAnsi: false,
        },
        {
          value(value, text, line) {
            if (
              typeof value === "object" && value !== null &&
              !Array.isArray(value)
            ) {
              reader.record(value, { line });
            } else {
              warn(
                "invalid-line",
                `Line ${line} is no JSON object: ${
                  JSON.stringify(excerptOf(text))
                }`,
                { line },
              );
            }
          },
          fault: (kind, _text, line, _length, message) =>
            warn(kind, message, { line }),
        },
        snapshot as JSONLMachineSnapshot | undefined,
      );
    case "document":
      return documentFraming(
        format.lists ?? [],
        maxLineChars,
        reader,
        warn,
        snapshot as DocumentSplitterSnapshot | undefined,
      );
    case "text-lines":
      return lineFraming(
        maxLineChars,
        reader,
        warn,
        snapshot as LineMachineSnapshot | undefined,
      );
  }
}

function documentFraming(
  lists: readonly string[],
  maxLineChars: number,
  reader: RecordReader,
  warn: Warn,
  snapshot: DocumentSplitterSnapshot | undefined,
): Framing {
  const parsed = (
    text: string,
    what: string,
  ): { value: unknown } | undefined => {
    try {
      return { value: JSON.parse(text) };
    } catch {
      warn(
        "invalid-line",
        `${what} is not JSON. It begins ${JSON.stringify(excerptOf(text))}`,
        {},
      );
      return undefined;
    }
  };
  return new DocumentSplitter(lists, maxLineChars, {
    element(text, index, key) {
      const found = parsed(text, `Element ${index}`);
      if (found === undefined) return;
      reader.record(
        found.value,
        key === undefined ? { index } : { index, key },
      );
    },
    field(text, key) {
      if (reader.field === undefined) return;
      const found = parsed(text, `Field ${JSON.stringify(key)}`);
      if (found !== undefined) reader.field(found.value, { key });
    },
    fault: (kind, message) => warn(kind, message, {}),
  }, snapshot);
}

function lineFraming(
  maxLineChars: number,
  reader: RecordReader,
  warn: Warn,
  snapshot: LineMachineSnapshot | undefined,
): Framing {
  const machine = new LineMachine(
    { maxLineChars, keepChars: maxLineChars, loneReturn: false },
    snapshot,
  );
  const take = (
    text: string,
    line: number,
    ending: string,
    length: number,
  ): void => {
    if (length > maxLineChars) {
      warn(
        "line-too-long",
        `Line ${line} has ${length} characters: only ${text.length} of them are read`,
        { line },
      );
    }
    const bom = line === 1 && text.charCodeAt(0) === 0xfeff;
    reader.record(bom ? text.slice(1) : text, { line, ending });
  };
  return {
    push: (text) => machine.push(text, take),
    end: () => machine.end(take),
    snapshot: () => machine.snapshot(),
  };
}
