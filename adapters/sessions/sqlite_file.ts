/**
 * The files of SQLite, as far as reading lists of keys and values needs it.
 *
 * @module
 */

import { StreamError } from "../stream_error.ts";
import type { CursorDatabase } from "./cursor.ts";

/** A file that can be read anywhere, such as one opened with `node:fs`. */
export interface RandomAccessFile {
  /** Its length in bytes. */
  readonly size: number;
  /** The bytes from an offset on, as many as asked for. */
  read(offset: number, length: number): Uint8Array;
}

/** Options of {@linkcode openSqliteFile}. */
export interface OpenSqliteFileOptions {
  /**
   * The file with `-wal` at the end of its name that lies beside the database:
   * what was written last is only there.
   */
  writeAheadLog?: Uint8Array;
  /**
   * How many pages are kept in memory.
   *
   * @default {256}
   */
  maxPages?: number;
}

/**
 * A database file of SQLite for {@linkcode [cursor].cursorSession}, without any
 * package: reads tables whose first two columns are a key and a value, by the
 * index of the key where there is one. Writes nothing, locks nothing: copy the
 * file (and its `-wal`) when the program is running.
 *
 * Throws a {@linkcode StreamError} with code `not-a-database` when the file is
 * none, and with code `malformed` when it is damaged.
 *
 * @param file The bytes, or a file to read them from.
 * @param options See {@linkcode OpenSqliteFileOptions}.
 * @returns The database.
 *
 * @example
 * ```ts
 * import { openSqliteFile } from "@millrace/millrace/adapters/sessions";
 *
 * let code = "";
 * try {
 *   openSqliteFile(new TextEncoder().encode("not a database"));
 * } catch (error) {
 *   code = (error as { code: string }).code;
 * }
 * if (code !== "not-a-database") throw new Error(code);
 * ```
 */
export function openSqliteFile(
  file: Uint8Array | RandomAccessFile,
  options: OpenSqliteFileOptions = {},
): CursorDatabase {
  const source = file instanceof Uint8Array
    ? {
      size: file.length,
      read: (offset: number, length: number) =>
        file.subarray(offset, offset + length),
    }
    : file;
  const database = new Database(
    new Pager(source, options.writeAheadLog, options.maxPages ?? 256),
  );
  return {
    keys: (table, prefix) => database.keys(table, prefix),
    value: (table, key) => database.value(table, key),
  };
}

function damaged(what: string): StreamError {
  return new StreamError(
    "malformed",
    `Cannot read the database: ${what}; copy it while its program is not running`,
  );
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Gives pages, those of the write-ahead log before those of the file. */
class Pager {
  readonly #file: RandomAccessFile;
  readonly #log: Map<number, Uint8Array>;
  readonly #maxPages: number;
  readonly #cache = new Map<number, Uint8Array>();
  readonly #pageSize: number;
  /** Bytes of a page that hold content. */
  readonly usable: number;
  readonly pageCount: number;
  readonly isUtf8: boolean;
  readonly decoder: TextDecoder;

  constructor(
    file: RandomAccessFile,
    log: Uint8Array | undefined,
    maxPages: number,
  ) {
    const header = file.size < 100 ? new Uint8Array() : file.read(0, 100);
    if (
      header.length < 100 ||
      new TextDecoder().decode(header.subarray(0, 16)) !== "SQLite format 3\0"
    ) {
      throw new StreamError(
        "not-a-database",
        "Cannot open the file: it is no SQLite database",
      );
    }
    const view = viewOf(header);
    const size = view.getUint16(16);
    this.#pageSize = size === 1 ? 65_536 : size;
    if (this.#pageSize < 512 || (this.#pageSize & (this.#pageSize - 1)) !== 0) {
      throw damaged(`its page size is "${size}"`);
    }
    this.#file = file;
    this.#maxPages = maxPages;
    this.usable = this.#pageSize - header[20]!;
    this.#log = log === undefined ? new Map() : pagesOfLog(log, this.#pageSize);
    this.pageCount = Math.max(
      Math.ceil(file.size / this.#pageSize),
      ...this.#log.keys(),
    );
    const first = viewOf(this.page(1));
    const encoding = first.getUint32(56);
    this.isUtf8 = encoding !== 2 && encoding !== 3;
    this.decoder = new TextDecoder(
      encoding === 2 ? "utf-16le" : encoding === 3 ? "utf-16be" : "utf-8",
    );
  }

  /** A page, from 1. */
  page(number: number): Uint8Array {
    const logged = this.#log.get(number);
    if (logged !== undefined) return logged;
    const cached = this.#cache.get(number);
    if (cached !== undefined) return cached;
    if (!(number >= 1 && number <= this.pageCount)) {
      throw damaged(`page ${number} is not in it`);
    }
    const bytes = this.#file.read(
      (number - 1) * this.#pageSize,
      this.#pageSize,
    );
    if (bytes.length < this.#pageSize) {
      throw damaged(`page ${number} is cut`);
    }
    if (this.#cache.size >= this.#maxPages) {
      this.#cache.delete(this.#cache.keys().next().value!);
    }
    this.#cache.set(number, bytes);
    return bytes;
  }
}

/** The newest copy of each page that a write-ahead log has committed. */
function pagesOfLog(
  log: Uint8Array,
  pageSize: number,
): Map<number, Uint8Array> {
  const committed = new Map<number, Uint8Array>();
  if (log.length < 32) return committed;
  const view = viewOf(log);
  const magic = view.getUint32(0);
  if (
    magic !== 0x377f0682 && magic !== 0x377f0683 ||
    view.getUint32(8) !== pageSize
  ) return committed;
  const littleEndian = magic === 0x377f0682;
  let sums: [number, number] = [0, 0];
  const add = (from: number, to: number): void => {
    let [first, second] = sums;
    for (let at = from; at < to; at += 8) {
      first = (first + view.getUint32(at, littleEndian) + second) >>> 0;
      second = (second + view.getUint32(at + 4, littleEndian) + first) >>> 0;
    }
    sums = [first, second];
  };
  add(0, 24);
  const waiting = new Map<number, Uint8Array>();
  const frame = 24 + pageSize;
  for (let at = 32; at + frame <= log.length; at += frame) {
    // Frames of an earlier round stand behind those of this one.
    if (
      view.getUint32(at + 8) !== view.getUint32(16) ||
      view.getUint32(at + 12) !== view.getUint32(20)
    ) break;
    add(at, at + 8);
    add(at + 24, at + frame);
    if (
      sums[0] !== view.getUint32(at + 16) || sums[1] !== view.getUint32(at + 20)
    ) break;
    waiting.set(view.getUint32(at), log.subarray(at + 24, at + frame));
    if (view.getUint32(at + 4) === 0) continue;
    for (const [number, page] of waiting) committed.set(number, page);
    waiting.clear();
  }
  return committed;
}

/** A cell of a page: its payload, and the row or the page it leads to. */
interface Cell {
  /** The page with what comes before it; 0 in a leaf. */
  child: number;
  rowid: number;
  /** Where the payload begins in the page, and how long it is in all. */
  at: number;
  length: number;
}

const INDEX_INTERIOR = 2;
const TABLE_INTERIOR = 5;
const INDEX_LEAF = 10;
const TABLE_LEAF = 13;

/** Deeper trees do not exist. */
const DEEPEST = 64;

interface Page {
  bytes: Uint8Array;
  view: DataView;
  type: number;
  /** Offset of the header: the first page begins with the file's. */
  header: number;
  cells: number;
  /** The page behind the last cell. */
  right: number;
}

/** Where a table and the index of its key begin. */
interface Roots {
  table: number;
  index: number | undefined;
}

class Database {
  readonly #pager: Pager;
  readonly #roots = new Map<string, Roots>();
  readonly #encoder = new TextEncoder();
  /** Pages looked at by the operation at work. */
  #visited = 0;

  constructor(pager: Pager) {
    this.#pager = pager;
    const indexes: [string, number][] = [];
    this.#walkTable(1, 0, (page, cell) => {
      const [type, name, table, root] = this.#record(page, cell, 4);
      if (typeof root !== "number") return;
      if (type === "table") {
        this.#roots.set(String(name), { table: root, index: undefined });
      } else if (
        type === "index" && String(name).startsWith("sqlite_autoindex_")
      ) indexes.push([String(table), root]);
    });
    for (const [table, root] of indexes) {
      const roots = this.#roots.get(table);
      if (roots !== undefined) roots.index ??= root;
    }
  }

  keys(table: string, prefix: string): string[] {
    this.#visited = 0;
    const roots = this.#roots.get(table);
    if (roots === undefined) return [];
    const found: { key: string; rowid: number }[] = [];
    if (roots.index !== undefined && this.#pager.isUtf8) {
      this.#walkIndex(
        roots.index,
        0,
        this.#encoder.encode(prefix),
        (key, rowid) => {
          found.push({ key, rowid });
        },
      );
    } else {
      this.#walkTable(roots.table, 0, (page, cell) => {
        const [key] = this.#record(page, cell, 1);
        if (typeof key === "string" && key.startsWith(prefix)) {
          found.push({ key, rowid: cell.rowid });
        }
      });
    }
    return found.sort((a, b) => a.rowid - b.rowid).map(({ key }) => key);
  }

  value(table: string, key: string): string | Uint8Array | undefined {
    this.#visited = 0;
    const roots = this.#roots.get(table);
    if (roots === undefined) return undefined;
    let value: unknown;
    if (roots.index !== undefined && this.#pager.isUtf8) {
      const bytes = this.#encoder.encode(key);
      let rowid: number | undefined;
      this.#walkIndex(roots.index, 0, bytes, (found, row) => {
        if (found === key) rowid = row;
      }, true);
      if (rowid === undefined) return undefined;
      value = this.#row(roots.table, rowid);
    } else {
      this.#walkTable(roots.table, 0, (page, cell) => {
        if (this.#record(page, cell, 1)[0] === key) {
          value = this.#record(page, cell, 2)[1];
        }
      });
    }
    return typeof value === "string" || value instanceof Uint8Array
      ? value
      : undefined;
  }

  #page(number: number, depth: number): Page {
    // A tree has no page twice; a damaged one may go round in circles.
    if (depth > DEEPEST || this.#visited++ > this.#pager.pageCount + DEEPEST) {
      throw damaged("a tree in it has no end");
    }
    const bytes = this.#pager.page(number);
    const view = viewOf(bytes);
    const header = number === 1 ? 100 : 0;
    const type = bytes[header]!;
    const isLeaf = type === TABLE_LEAF || type === INDEX_LEAF;
    if (!isLeaf && type !== TABLE_INTERIOR && type !== INDEX_INTERIOR) {
      throw damaged(`page ${number} is of no known kind`);
    }
    const cells = view.getUint16(header + 3);
    if (header + 12 + 2 * cells > bytes.length) {
      throw damaged(`page ${number} has too many cells`);
    }
    return {
      bytes,
      view,
      type,
      header,
      cells,
      right: isLeaf ? 0 : view.getUint32(header + 8),
    };
  }

  #cell(page: Page, index: number): Cell {
    const { bytes, view, type, header } = page;
    const isLeaf = type === TABLE_LEAF || type === INDEX_LEAF;
    let at = view.getUint16(header + (isLeaf ? 8 : 12) + 2 * index);
    if (at + 4 > bytes.length) throw damaged("a cell is outside of its page");
    const cell: Cell = { child: 0, rowid: 0, at: 0, length: 0 };
    if (!isLeaf) {
      cell.child = view.getUint32(at);
      at += 4;
    }
    if (type !== TABLE_INTERIOR) [cell.length, at] = varint(bytes, at);
    if (type === TABLE_INTERIOR || type === TABLE_LEAF) {
      [cell.rowid, at] = varint(bytes, at);
    }
    cell.at = at;
    return cell;
  }

  /** The payload's first bytes that lie in the page, or all of it. */
  #payload(page: Page, cell: Cell, all: boolean): Uint8Array {
    const { usable } = this.#pager;
    const isTable = page.type === TABLE_LEAF;
    const most = isTable
      ? usable - 35
      : Math.floor((usable - 12) * 64 / 255) - 23;
    const { at, length } = cell;
    if (length <= most) return slice(page.bytes, at, length);
    const least = Math.floor((usable - 12) * 32 / 255) - 23;
    const surplus = least + (length - least) % (usable - 4);
    const local = surplus <= most ? surplus : least;
    const first = slice(page.bytes, at, local);
    if (!all) return first;
    if (length > this.#pager.pageCount * usable) {
      throw damaged("a row is longer than the file");
    }
    const payload = new Uint8Array(length);
    payload.set(first);
    let filled = local;
    let next = viewOf(slice(page.bytes, at + local, 4)).getUint32(0);
    while (filled < length) {
      const bytes = this.#pager.page(next);
      next = viewOf(bytes).getUint32(0);
      const part = slice(bytes, 4, Math.min(usable - 4, length - filled));
      payload.set(part, filled);
      filled += part.length;
    }
    return payload;
  }

  /** The first columns of a row. */
  #record(page: Page, cell: Cell, columns: number): unknown[] {
    const values = this.#decode(this.#payload(page, cell, false), columns);
    return values ?? this.#decode(this.#payload(page, cell, true), columns) ??
      [];
  }

  /** Reads columns of a record; `undefined` when they reach behind what is there. */
  #decode(payload: Uint8Array, columns: number): unknown[] | undefined {
    let [end, at] = varint(payload, 0);
    if (end > payload.length) return undefined;
    const values: unknown[] = [];
    let from = end;
    while (at < end && values.length < columns) {
      let type: number;
      [type, at] = varint(payload, at);
      const length = lengthOf(type);
      if (from + length > payload.length) return undefined;
      values.push(this.#column(type, payload.subarray(from, from + length)));
      from += length;
    }
    return values;
  }

  #column(type: number, bytes: Uint8Array): unknown {
    if (type >= 13 && type % 2 === 1) return this.#pager.decoder.decode(bytes);
    if (type >= 12) return bytes;
    if (type === 8 || type === 9) return type - 8;
    if (type === 0 || type > 6) return null;
    return integer(bytes);
  }

  #walkTable(
    number: number,
    depth: number,
    visit: (page: Page, cell: Cell) => void,
  ): void {
    const page = this.#page(number, depth);
    for (let index = 0; index < page.cells; index++) {
      const cell = this.#cell(page, index);
      if (page.type === TABLE_LEAF) visit(page, cell);
      else this.#walkTable(cell.child, depth + 1, visit);
    }
    if (page.right !== 0) this.#walkTable(page.right, depth + 1, visit);
  }

  /** The value of a row. */
  #row(root: number, rowid: number): unknown {
    let number = root;
    for (let depth = 0;; depth++) {
      const page = this.#page(number, depth);
      let low = 0;
      let high = page.cells;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (this.#cell(page, middle).rowid < rowid) low = middle + 1;
        else high = middle;
      }
      if (page.type === TABLE_LEAF) {
        const cell = low < page.cells ? this.#cell(page, low) : undefined;
        if (cell?.rowid !== rowid) return undefined;
        return this.#record(page, cell, 2)[1];
      }
      number = low < page.cells ? this.#cell(page, low).child : page.right;
    }
  }

  /** Visits the keys of an index that begin with some bytes (or are exactly those). */
  #walkIndex(
    number: number,
    depth: number,
    prefix: Uint8Array,
    visit: (key: string, rowid: number) => void,
    exact = false,
  ): void {
    const page = this.#page(number, depth);
    let low = 0;
    let high = page.cells;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare(this.#indexKey(page, middle).key, prefix) < 0) {
        low = middle + 1;
      } else high = middle;
    }
    for (let index = low;; index++) {
      const behind = index >= page.cells;
      if (page.type === INDEX_INTERIOR) {
        const child = behind ? page.right : this.#cell(page, index).child;
        this.#walkIndex(child, depth + 1, prefix, visit, exact);
      }
      if (behind) return;
      const { key, rowid } = this.#indexKey(page, index);
      if (!startsWith(key, prefix) || exact && key.length > prefix.length) {
        return;
      }
      visit(this.#pager.decoder.decode(key), rowid);
    }
  }

  #indexKey(page: Page, index: number): { key: Uint8Array; rowid: number } {
    const cell = this.#cell(page, index);
    const payload = this.#payload(page, cell, true);
    let [end, at] = varint(payload, 0);
    let [type] = varint(payload, at);
    const length = lengthOf(type);
    const key = slice(payload, end, length);
    [type, at] = varint(payload, varint(payload, at)[1]);
    end += length;
    const value = this.#column(type, slice(payload, end, lengthOf(type)));
    return { key, rowid: typeof value === "number" ? value : 0 };
  }
}

/** Part of some bytes; throws when it is not all there. */
function slice(bytes: Uint8Array, at: number, length: number): Uint8Array {
  if (at + length > bytes.length) throw damaged("a row is cut");
  return bytes.subarray(at, at + length);
}

/** A number of variable length, and the offset behind it. */
function varint(bytes: Uint8Array, at: number): [number, number] {
  let value = 0;
  for (let index = 0; index < 9; index++) {
    const byte = bytes[at + index];
    if (byte === undefined) throw damaged("a number is cut");
    if (index === 8) return [value * 256 + byte, at + 9];
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return [value, at + index + 1];
  }
  return [value, at + 9];
}

/** Length of a column by its type. */
function lengthOf(type: number): number {
  if (type >= 12) return Math.floor((type - 12) / 2);
  return [0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0][type]!;
}

/** A signed integer, as exactly as a number can be. */
function integer(bytes: Uint8Array): number {
  let value = (bytes[0]! & 0x80) === 0 ? 0 : -1;
  for (const byte of bytes) value = value * 256 + byte;
  return value;
}

function compare(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const difference = a[index]! - b[index]!;
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

function startsWith(bytes: Uint8Array, prefix: Uint8Array): boolean {
  if (bytes.length < prefix.length) return false;
  for (let index = 0; index < prefix.length; index++) {
    if (bytes[index] !== prefix[index]) return false;
  }
  return true;
}
