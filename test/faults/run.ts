/** Puts all faults into all adapters; the same on every runtime. */
import { type Cell, runFaults } from "./faults.ts";
import { runSituations } from "./situations.ts";
import { type Recording, subjectsOf } from "./subjects.ts";
import { watch } from "./watch.ts";

/** What a runtime is asked for. */
export interface Job {
  recordings: readonly Recording[];
  /** Into about how many pieces a recorded stream is cut. */
  pieces: number;
}

/** Does a job. The situations go first, as a cell of their own. */
export async function runJob({ recordings, pieces }: Job): Promise<Cell[]> {
  const watching = watch();
  try {
    const cells: Cell[] = [{
      subject: "web streams",
      fault: "situations",
      ...await runSituations(watching),
    }];
    for (const recording of recordings) {
      for (const subject of subjectsOf(recording, pieces)) {
        cells.push(...await runFaults(subject, watching));
      }
    }
    return cells;
  } finally {
    watching.stop();
  }
}
