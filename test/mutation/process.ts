import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import type { Answer, Ask } from "./runner.ts";

/** A runner in a process of its own, which ends when it takes too long. */
export class RunnerProcess {
  #child: ChildProcess;
  #told: ((answer: Answer | undefined) => void) | undefined;
  #waiting: (Answer | undefined)[] = [];
  #ended = false;

  /**
   * Starts one.
   *
   * @param folder The copy of the project.
   * @param seed For the random inputs of properties.
   * @param mutant The mutant that is on from the start, -1 for none.
   * @param files The test files to import.
   */
  constructor(
    folder: string,
    seed: number,
    mutant: number,
    files: readonly string[],
  ) {
    this.#child = fork(
      join(folder, "test/mutation/runner.ts"),
      [String(seed), String(mutant), ...files],
      {
        cwd: folder,
        execArgv: ["--import", "tsx", "--max-old-space-size=1024"],
        env: { FAST_CHECK_RUNS: "20", ...process.env, NO_COLOR: "1" },
        stdio: ["ignore", "ignore", "ignore", "ipc"],
      },
    );
    this.#child.on("message", (answer) => this.#tell(answer as Answer));
    this.#child.on("exit", () => {
      this.#ended = true;
      this.#tell(undefined);
    });
  }

  #tell(answer: Answer | undefined): void {
    const told = this.#told;
    this.#told = undefined;
    if (told === undefined) this.#waiting.push(answer);
    else told(answer);
  }

  /** Whether it can be asked. */
  get alive(): boolean {
    return !this.#ended;
  }

  /** Asks; answers come from {@linkcode next}. */
  ask(ask: Ask): void {
    if (this.alive) this.#child.send(ask);
  }

  /**
   * The next answer; `undefined` when the process has ended, or was ended
   * because none came in so many milliseconds.
   */
  async next(milliseconds: number): Promise<Answer | undefined> {
    if (this.#waiting.length > 0) return this.#waiting.shift();
    if (this.#ended) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const answer = await new Promise<Answer | undefined>((resolve) => {
      this.#told = resolve;
      timer = setTimeout(() => {
        this.#told = undefined;
        this.end();
        resolve(undefined);
      }, milliseconds);
    });
    clearTimeout(timer);
    return answer;
  }

  /** Ends the process. */
  end(): void {
    this.#ended = true;
    this.#child.removeAllListeners();
    this.#child.kill("SIGKILL");
  }
}
