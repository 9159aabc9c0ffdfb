/**
 * Texts with one character more, at every place: which characters make the same
 * difference there. A class of characters that is too wide or too narrow by one
 * shows, whichever state it is looked at in.
 *
 * A line of one_character_more.jsonl: `stage`, `options`, `input`, and `alike`:
 * from which place on which characters are alike. Each text is a group, and all
 * that are in none are another one. A space stands in a group as itself.
 *
 *     npx tsx test/transforms/one_character_more.ts
 *
 * writes the groups anew. Read what changes before you keep it.
 */
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { Part } from "../../mod.ts";
import { merged } from "../laws.ts";
import { makeExact } from "./exact_parts.ts";

/** A text and which characters are alike. */
export interface OneMore {
  stage: string;
  options: Record<string, unknown>;
  input: string;
  alike: [from: number, ...groups: string[]][];
}

/** Both ends of each class of characters, and all that markup is made of. */
const CHARACTERS: readonly string[] = [
  ..."\t\n\r !\"#$%&'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~",
  ..."\0\x7f\xe9\u1680\u201c\uff5c",
];

const PATH: string = fileURLToPath(
  new URL("one_character_more.jsonl", import.meta.url),
);

/** All of them. */
export function oneMore(): OneMore[] {
  return readFileSync(PATH, "utf8").split("\n").filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

/** All that an outcome says, as a list of plain values. */
function flat(value: unknown, all: unknown[] = []): unknown[] {
  if (typeof value !== "object" || value === null) all.push(value);
  else {
    for (const [key, one] of Object.entries(value)) {
      all.push(key);
      flat(one, all);
    }
  }
  return all;
}

/** Whether two outcomes differ in nothing but the characters they are about. */
function isAlike(
  one: readonly unknown[],
  character: string,
  other: readonly unknown[],
  otherCharacter: string,
): boolean {
  return one.length === other.length && one.every((value, index) => {
    const second = other[index];
    if (value === second) return true;
    if (
      typeof value !== "string" || typeof second !== "string" ||
      value.length !== second.length
    ) return false;
    for (let at = 0; at < value.length; at++) {
      if (
        value[at] !== second[at] &&
        (value[at] !== character || second[at] !== otherCharacter)
      ) return false;
    }
    return true;
  });
}

/** What comes out, and how much of it has when the character has come. */
function outcome(
  { stage, options }: OneMore,
  before: string,
  after: string,
): unknown[] {
  const { stage: machine } = makeExact(stage, options);
  const parts: Part[] = [];
  const emit = (part: Part): void => {
    parts.push(part);
  };
  machine.push(before, emit);
  const soon = merged(parts);
  if (after !== "") machine.push(after, emit);
  machine.end(emit);
  return flat([soon, merged(parts)]);
}

/** The groups at one place. */
function groupsAt(one: OneMore, at: number): string[] {
  const groups: { first: string; outcome: unknown[]; all: string }[] = [];
  for (const character of CHARACTERS) {
    const found = outcome(
      one,
      one.input.slice(0, at) + character,
      one.input.slice(at),
    );
    const group = groups.find(({ first, outcome }) =>
      isAlike(outcome, first, found, character)
    );
    if (group !== undefined) group.all += character;
    else groups.push({ first: character, outcome: found, all: character });
  }
  const all = groups.map(({ all }) => all);
  const most = Math.max(...all.map(({ length }) => length));
  all.splice(all.findIndex(({ length }) => length === most), 1);
  return all;
}

/** Which characters are alike, place by place. */
export function alikeIn(one: OneMore): OneMore["alike"] {
  const places: OneMore["alike"] = [];
  for (let at = 0; at <= one.input.length; at++) {
    // Inside a long word every place is like the one before.
    if (/^[a-z]{4}$/.test(one.input.slice(at - 2, at + 2))) continue;
    const groups = groupsAt(one, at);
    const [, ...before] = places.at(-1) ?? [0];
    if (at === 0 || JSON.stringify(groups) !== JSON.stringify(before)) {
      places.push([at, ...groups]);
    }
  }
  return places;
}

function update(): void {
  const lines = oneMore().map((one) =>
    JSON.stringify({ ...one, alike: alikeIn(one) })
  );
  writeFileSync(PATH, lines.map((line) => `${line}\n`).join(""));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) update();
