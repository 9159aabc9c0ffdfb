/**
 * Making every string of a request well-formed.
 *
 * @module
 */

import { copyWith } from "./internal/copy_with.ts";
import { sanitizeSurrogates } from "./sanitize_surrogates.ts";

/**
 * Replaces every unpaired UTF-16 surrogate by U+FFFD in every string of some
 * messages, at any depth: prompts, text blocks, tool results in both forms, tool
 * inputs with their keys, names, ids (the same way on both sides of a pair).
 * A backend refuses a whole request for a single one.
 *
 * Works for the messages of Anthropic, OpenAI and `vscode.lm`, since it knows no
 * format: arrays, plain objects and instances of classes are walked through, the
 * latter stay instances of their class; binary data, dates, maps and the like are
 * left alone. In a string under the key `arguments`, which holds JSON, escaped
 * halves (`\ud83d`) are replaced as well. System prompts and whole request
 * bodies may be given, too.
 *
 * @typeParam Messages Whatever is given.
 * @param messages Messages, one message, or a whole request.
 * @returns The same thing when nothing had to change, else a copy that shares
 * all that did not change.
 *
 * @example
 * ```ts
 * import { sanitizeMessages } from "@millrace/millrace";
 *
 * const messages = [{ role: "user", content: [{ type: "text", text: "moon \ud83c" }] }];
 * const [message] = sanitizeMessages(messages);
 * if (message?.content[0]?.text !== "moon \ufffd") throw new Error();
 *
 * const fine = [{ role: "user", content: "hi" }];
 * if (sanitizeMessages(fine) !== fine) throw new Error();
 * ```
 */
export function sanitizeMessages<Messages>(messages: Messages): Messages {
  const seen = new Map<object, unknown>();
  if (isObject(messages)) visit(messages, seen);
  return sanitized(messages, "", seen) as Messages;
}

/** An object whose contents are being looked at. */
interface Open {
  object: object;
  /** The objects in it. */
  children: readonly object[];
  /** How many of them are done. */
  done: number;
}

/**
 * Finds the result of every object, contents first. By a list of its own instead
 * of by recursion: arguments come from a model, and may be nested as deep as it
 * likes.
 *
 * @param seen Gives every object one result, and ends circles.
 */
function visit(root: object, seen: Map<object, unknown>): void {
  const open: Open[] = [];
  const enter = (object: object): void => {
    seen.set(object, object);
    open.push({ object, children: childrenOf(object), done: 0 });
  };
  enter(root);
  for (;;) {
    const last = open.at(-1);
    if (last === undefined) return;
    const child = last.children[last.done++];
    if (child !== undefined) {
      if (!seen.has(child)) enter(child);
      continue;
    }
    open.pop();
    const { object } = last;
    if (Array.isArray(object)) seen.set(object, sanitizedList(object, seen));
    else if (isWalkable(object)) {
      seen.set(object, sanitizedObject(object, seen));
    }
  }
}

/** The objects in an object. */
function childrenOf(object: object): readonly object[] {
  if (Array.isArray(object)) return object.filter(isObject);
  const children: object[] = [];
  if (!isWalkable(object)) return children;
  for (const key of Object.keys(object)) {
    const descriptor = Object.getOwnPropertyDescriptor(object, key);
    if (isObject(descriptor?.value)) children.push(descriptor.value);
  }
  return children;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** What a value becomes, once the objects in it are done. */
function sanitized(
  value: unknown,
  key: string,
  seen: ReadonlyMap<object, unknown>,
): unknown {
  if (typeof value === "string") {
    const text = sanitizeSurrogates(value);
    return key === "arguments" ? sanitizeEscapes(text) : text;
  }
  return isObject(value) ? seen.get(value) : value;
}

function sanitizedList(
  list: readonly unknown[],
  seen: ReadonlyMap<object, unknown>,
): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (const [index, item] of list.entries()) {
    const result = sanitized(item, "", seen);
    if (result !== item) {
      copy ??= [...list];
      copy[index] = result;
    }
  }
  return copy ?? list;
}

function sanitizedObject(
  object: object,
  seen: ReadonlyMap<object, unknown>,
): object {
  const changes = new Map<string, unknown>();
  const renamed: string[] = [];
  for (const key of Object.keys(object)) {
    const descriptor = Object.getOwnPropertyDescriptor(object, key);
    if (descriptor === undefined || !("value" in descriptor)) continue;
    const result = sanitized(descriptor.value, key, seen);
    const name = sanitizeSurrogates(key);
    if (name !== key) renamed.push(key);
    if (name !== key || result !== descriptor.value) changes.set(name, result);
  }
  if (changes.size === 0) return object;
  if (renamed.length === 0) return copyWith(object, changes);
  // Renamed keys keep their place: everything is written anew, in order.
  const copy = Object.create(Object.getPrototypeOf(object)) as object;
  for (const key of Object.keys(object)) {
    const descriptor = Object.getOwnPropertyDescriptor(object, key)!;
    const name = sanitizeSurrogates(key);
    if (changes.has(name) && "value" in descriptor) {
      descriptor.value = changes.get(name);
    }
    descriptor.configurable = true;
    Object.defineProperty(copy, name, descriptor);
  }
  return copy;
}

/** Whether an object is made of properties, not of something inside. */
function isWalkable(object: object): boolean {
  return !ArrayBuffer.isView(object) &&
    Object.prototype.toString.call(object) === "[object Object]";
}

/** Replaces unpaired surrogates that are written as escapes in a JSON text. */
function sanitizeEscapes(json: string): string {
  if (!/\\u[dD][89a-fA-F]/.test(json)) return json;
  // One match is one escape, so a back-slash that is escaped itself starts none.
  return json.replace(
    /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\[^]/g,
    (escape) => escape.length === 6 ? "\\ufffd" : escape,
  );
}
