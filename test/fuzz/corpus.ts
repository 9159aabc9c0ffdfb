import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

function pathOf(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url));
}

/** Inputs of the handed cases of some areas, as far as they are texts. */
export function caseTexts(...areas: string[]): string[] {
  return areas.flatMap((area) =>
    readFileSync(pathOf(`../cases/${area}.jsonl`), "utf8").split("\n")
      .filter((line) => line !== "")
      .map((line) => (JSON.parse(line) as { input: unknown }).input)
      .map((input) => Array.isArray(input) ? input.join("") : input)
      .filter((input) => typeof input === "string")
  );
}

/** A recorded stream. */
export interface Recording {
  /** Its folder, which tells the wire. */
  readonly folder: string;
  /** Whether its events are lines. */
  readonly isLines: boolean;
  /** What came over the wire. */
  readonly body: string;
}

/** The recorded streams. */
export function recordings(): Recording[] {
  const home = pathOf("../real");
  return readdirSync(home, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name: folder }) =>
      readdirSync(`${home}/${folder}`).sort().map((file) => ({
        folder,
        isLines: file.endsWith(".jsonl"),
        body: readFileSync(`${home}/${folder}/${file}`, "utf8"),
      }))
    );
}
