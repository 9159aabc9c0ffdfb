import type { ToolEdit } from "../../../transforms/tool_edit.ts";
import type { SessionKind } from "../message.ts";
import type { MessageWindow } from "./message_window.ts";

/** Where a record stands. */
export interface Place {
  /** The line, from 1. */
  line?: number;
  /** The element, from 0. */
  index?: number;
  /** The list that an element is of, or the field's key. */
  key?: string;
  /** How the line ended, in formats of text lines. */
  ending?: string;
}

/** What a reader works with. */
export interface ReaderContext {
  window: MessageWindow;
  /** Reports what is wrong with a record. */
  warn(code: string, message: string, place: Place): void;
}

/** Makes messages of the records of one format. */
export interface RecordReader {
  /** The next record: a JSON value, or a line of text. */
  record(value: unknown, place: Place): void;
  /** A field of a document that is an object. */
  field?(value: unknown, place: Place): void;
  /** There are no more. */
  end(): void;
  /** The state as plain data. */
  snapshot(): unknown;
}

/** A way of writing sessions down. */
export interface SessionFormat {
  /** The program that writes it. */
  kind: SessionKind;
  /** Its name. */
  name: string;
  /**
   * What its records are: JSON values a line, elements of a JSON document, or
   * lines of text.
   */
  framing: "json-lines" | "document" | "text-lines";
  /** The lists of the document that hold records. */
  lists?: readonly string[];
  /** Whether code may stand between tags. */
  tagBlocks?: boolean;
  /** Rows for tools that only this format knows. */
  toolEdits?: readonly ToolEdit[];
  /** Makes a reader, or one that goes on from a snapshot. */
  reader(context: ReaderContext, snapshot?: unknown): RecordReader;
}
