/** How much of the library a run went through, as V8 counts it. */
import { type Profiler, Session } from "node:inspector";

/** Blocks of code in one file. */
export interface FileCoverage {
  file: string;
  blocks: number;
  missed: number;
}

/** Counts from here on. */
export class Coverage {
  readonly #session = new Session();

  constructor() {
    this.#session.connect();
    this.#session.post("Profiler.enable");
    this.#session.post("Profiler.startPreciseCoverage", {
      callCount: true,
      detailed: true,
    });
  }

  /** What was counted, the file with the most blocks missed first. */
  take(): Promise<FileCoverage[]> {
    return new Promise((resolve, reject) => {
      this.#session.post("Profiler.takePreciseCoverage", (error, answer) => {
        if (error !== null) reject(error);
        else resolve(filesOf(answer.result));
      });
    });
  }
}

function filesOf(scripts: readonly Profiler.ScriptCoverage[]): FileCoverage[] {
  return scripts.flatMap(({ url, functions }) => {
    const file = /\/((?:transforms|adapters)\/.*)$/.exec(url)?.[1];
    if (file === undefined || url.includes("/node_modules/")) return [];
    const ranges = functions.flatMap((one) => one.ranges);
    const missed = ranges.filter(({ count }) => count === 0).length;
    return [{ file, blocks: ranges.length, missed }];
  }).sort((a, b) => b.missed - a.missed);
}
