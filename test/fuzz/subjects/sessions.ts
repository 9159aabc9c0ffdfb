import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { SessionStream } from "../../../adapters/sessions/session_stream.ts";
import type { Stage } from "../../../mod.ts";
import type { Subject } from "../subject.ts";
import { mutated } from "../texts.ts";
import {
  checkWire,
  type Chunk,
  randomWireCase,
  smallerWireCases,
  type WireCase,
  wireCaseSize,
} from "./wire.ts";

const home = fileURLToPath(new URL("../../sessions", import.meta.url));

/** The beginnings of the stored sessions that are text. */
export const BODIES: readonly string[] = readdirSync(home, {
  withFileTypes: true,
})
  .filter((entry) => entry.isDirectory())
  .flatMap(({ name }) =>
    readdirSync(`${home}/${name}`)
      .filter((file) => /\.(?:jsonl?|md)$/.test(file)).sort()
      .map((file) => readFileSync(`${home}/${name}/${file}`, "utf8"))
  ).map((body) => body.slice(0, 6000));

/** Stored sessions of all programs, damaged and cut. */
export function sessionSubjects(): Subject<WireCase>[] {
  return [{
    name: "session/any",
    make(random) {
      let body = random.pick(BODIES);
      if (random.chance(0.5)) body = body.slice(0, random.below(body.length));
      if (random.chance(0.3)) {
        const lines = body.split("\n");
        lines.splice(random.below(lines.length), random.between(1, 3));
        body = lines.join("\n");
      }
      if (random.chance(0.8)) body = mutated(random, body);
      return randomWireCase(random, body.slice(0, 4000));
    },
    // What is wrong with the bytes is told while the format is still looked
    // for: the order of warnings depends on the cuts.
    check: (input) =>
      void checkWire(
        (_hear, snapshot) =>
          new SessionStream({ snapshot }).stage as Stage<Chunk, unknown>,
        input,
      ),
    shrink: smallerWireCases,
    size: wireCaseSize,
  }];
}
