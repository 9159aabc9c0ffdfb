import type { DirectivePartial } from "../directive_types.ts";
import type { WarningCode } from "../part.ts";
import { decodeEntities } from "./decode_entities.ts";
import { setOwn } from "./own_property.ts";

/** A field of the open directive that is itself open. */
export interface OpenField {
  /** Its name as declared. */
  name: string;
  /** Where in the content its own begins. */
  from: number;
  /** Openers of its name without closer, its own included. */
  depth: number;
  /** Openers of the directive's name without closer inside it. */
  own: number;
}

/** A directive that is open. Plain data. */
export interface OpenDirective {
  name: string;
  id: string;
  attributes: Record<string, string>;
  /** A container's label, `null` without one. */
  label: string | null;
  start: number;
  /** The opener as written. */
  opener: string;
  /** The content so far: long pieces, and short ones behind them. */
  blocks: string[];
  pieces: string[];
  /** Length of the content so far. */
  length: number;
  /** Openers of its name without closer, its own included. */
  depth: number;
  /** Colons of the open containers, its own first. */
  levels: number[];
  field: OpenField | null;
  /** Names and places of the fields that are complete. */
  fields: [name: string, from: number, to: number][];
  /** What may be the beginning of a character reference, not yet in a delta. */
  half: string;
  /** What deltas tell of the content so far; `null` when they do not. */
  partial: DirectivePartial | null;
  /** Warnings that wait for its end, so as not to overtake what is held. */
  warnings: { code: WarningCode; message: string }[];
  /** Whether everything is held until the closer. */
  hold: boolean;
}

/** So many short pieces of content are joined to a long one. */
const PIECES = 512;

/** Adds a piece of content that has left. */
export function addContent(open: OpenDirective, piece: string): void {
  open.pieces.push(piece);
  if (open.pieces.length < PIECES) return;
  open.blocks.push(open.pieces.join(""));
  open.pieces.length = 0;
}

/** The content as written. */
export function writtenContent(open: OpenDirective): string {
  return open.blocks.concat(open.pieces).join("");
}

/** A field opens behind what is there of the content. */
export function openField(open: OpenDirective, name: string): void {
  open.field = { name, from: open.length, depth: 1, own: 0 };
  clearPartial(open, name);
}

/** The open field ends before its closer. */
export function closeField(open: OpenDirective): void {
  const { name, from } = open.field!;
  open.fields.push([name, from, open.length]);
  open.field = null;
}

/** A field that is empty, in one tag. */
export function addEmptyField(open: OpenDirective, name: string): void {
  open.fields.push([name, open.length, open.length]);
  clearPartial(open, name);
}

function clearPartial(open: OpenDirective, name: string): void {
  if (open.partial !== null) setOwn(open.partial.fields!, name, "");
}

/** The complete fields; of one name the last counts. */
export function fieldsOf(
  open: OpenDirective,
  written: string,
  decodes: boolean,
): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [name, from, to] of open.fields) {
    const text = written.slice(from, to);
    setOwn(fields, name, decodes ? decodeEntities(text) : text);
  }
  return fields;
}

/** What is there with one more delta, as a new object; `undefined` when not asked for. */
export function growPartial(
  open: OpenDirective,
  delta: string,
): DirectivePartial | undefined {
  const { partial, field } = open;
  if (partial === null) return undefined;
  partial.content += delta;
  const { content, fields } = partial;
  if (fields === undefined) return { content };
  if (field !== null) setOwn(fields, field.name, fields[field.name]! + delta);
  return { content, fields: { ...fields } };
}
