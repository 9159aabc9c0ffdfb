import { define, type JSONObject, numberOf } from "./json.ts";

/** A tree of arguments that is being built. */
export interface ArgumentTree {
  /** The arguments so far. */
  root: JSONObject;
  /** The path of the string that goes on, `""` when none does. */
  growing: string;
}

/** Deeper paths than this are no real arguments. */
const DEEPEST = 64;

/** Where a step of a path leads. */
type Step = string | number;

/**
 * Reads a path such as `$.recipe.steps[2]` or `$['odd key']`. `undefined` for
 * anything else.
 */
export function readPath(path: string): Step[] | undefined {
  if (!path.startsWith("$") || path.length > 4096) return undefined;
  const steps: Step[] = [];
  let at = 1;
  while (at < path.length) {
    if (steps.length === DEEPEST) return undefined;
    if (path[at] === ".") {
      const from = ++at;
      while (at < path.length && path[at] !== "." && path[at] !== "[") at++;
      if (at === from) return undefined;
      steps.push(path.slice(from, at));
    } else if (path[at] === "[") {
      const quote = path[at + 1];
      if (quote === "'" || quote === '"') {
        const to = path.indexOf(`${quote}]`, at + 2);
        if (to < 0) return undefined;
        steps.push(path.slice(at + 2, to));
        at = to + 2;
      } else {
        const to = path.indexOf("]", at);
        const digits = path.slice(at + 1, to < 0 ? at + 1 : to);
        if (!/^\d{1,9}$/.test(digits)) return undefined;
        steps.push(Number(digits));
        at = to + 1;
      }
    } else return undefined;
  }
  return steps.length === 0 ? undefined : steps;
}

/**
 * Puts one piece of streamed arguments into the tree: `{jsonPath, stringValue |
 * numberValue | boolValue | nullValue, willContinue}`. A string goes on as long
 * as its pieces say so. Says whether the piece made sense.
 */
export function putPiece(tree: ArgumentTree, piece: JSONObject): boolean {
  const path = piece["jsonPath"];
  const steps = typeof path === "string" ? readPath(path) : undefined;
  if (steps === undefined) return false;
  let value: unknown;
  if (typeof piece["stringValue"] === "string") value = piece["stringValue"];
  else if (numberOf(piece["numberValue"]) !== undefined) {
    value = piece["numberValue"];
  } else if (typeof piece["boolValue"] === "boolean") {
    value = piece["boolValue"];
  } else if ("nullValue" in piece) value = null;
  else {
    // Nothing new: the string goes on later, or it ends here.
    const goesOn = piece["willContinue"] === true;
    if (tree.growing !== path) return goesOn;
    if (!goesOn) tree.growing = "";
    return true;
  }

  let node: unknown = tree.root;
  for (const [index, step] of steps.slice(0, -1).entries()) {
    const next = typeof steps[index + 1] === "number" ? [] : {};
    node = childOf(node, step, next);
    if (node === undefined) return false;
  }
  const last = steps.at(-1)!;
  const goesOn = tree.growing === path;
  tree.growing = piece["willContinue"] === true ? path as string : "";
  if (goesOn && typeof value === "string") {
    const before = peek(node, last);
    if (typeof before === "string") value = before + value;
  }
  return put(node, last, value);
}

function peek(node: unknown, step: Step): unknown {
  if (Array.isArray(node)) {
    return typeof step === "number" ? node[step] : undefined;
  }
  return Object.hasOwn(node as object, step)
    ? (node as JSONObject)[step]
    : undefined;
}

/** The container a step leads to, made when there is none yet. */
function childOf(node: unknown, step: Step, made: unknown): unknown {
  const child = peek(node, step);
  if (typeof child === "object" && child !== null) return child;
  if (child !== undefined) return undefined;
  return put(node, step, made) ? made : undefined;
}

/** Arrays grow by one at a time. */
function put(node: unknown, step: Step, value: unknown): boolean {
  if (Array.isArray(node)) {
    if (typeof step !== "number" || step > node.length) return false;
    node[step] = value;
    return true;
  }
  if (typeof step === "number") return false;
  define(node as JSONObject, step, value);
  return true;
}
