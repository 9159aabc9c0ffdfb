/**
 * A gateway's entry, run so that it can be looked into: a line on stdin is
 * answered by one on stdout, with what it holds after the garbage is gone.
 */
import process from "node:process";

/** What the process says of itself. */
export interface Report {
  /** Bytes of live objects. */
  heap: number;
  /** Bytes of all of it. */
  resident: number;
  /** What nobody caught. */
  failures: string[];
}

const failures: string[] = [];
for (const event of ["unhandledRejection", "uncaughtException"] as const) {
  process.on(event, (error: unknown) => {
    failures.push(`${event}: ${error instanceof Error ? error.stack : error}`);
  });
}

const { gc, Bun } = globalThis as {
  gc?: () => void;
  Bun?: { gc(force: boolean): void };
};

process.stdin.on("data", async () => {
  for (let round = 0; round < 4; round++) {
    if (Bun === undefined) gc?.();
    else Bun.gc(true);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const { heapUsed, rss } = process.memoryUsage();
  const report: Report = { heap: heapUsed, resident: rss, failures };
  console.log(`report ${JSON.stringify(report)}`);
});

await import(`../../examples/edge/${process.argv[2]}.ts`);
