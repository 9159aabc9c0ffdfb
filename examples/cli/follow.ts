import { open, stat } from "node:fs/promises";

/** How often a file is looked at that did not grow, in milliseconds. */
const PAUSE = 100;

/**
 * The bytes of a file, and what is added to it. Ends when the signal is aborted
 * (what is there already is read first) or when another file has taken its
 * place.
 */
export async function* follow(
  path: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const file = await open(path, "r");
  try {
    const { ino } = await file.stat();
    const buffer = new Uint8Array(65_536);
    let position = 0;
    for (;;) {
      const { bytesRead } = await file.read(
        buffer,
        0,
        buffer.length,
        position,
      );
      if (bytesRead > 0) {
        position += bytesRead;
        yield buffer.slice(0, bytesRead);
      } else if (
        signal.aborted || await isReplaced(path, ino, position)
      ) return;
      else await pause(signal);
    }
  } finally {
    await file.close();
  }
}

/** Whether the path leads to another file now, or to one that was emptied. */
async function isReplaced(
  path: string,
  ino: number,
  position: number,
): Promise<boolean> {
  try {
    const now = await stat(path);
    return now.ino !== ino || now.size < position;
  } catch {
    // Gone, perhaps only until the next one is there.
    return false;
  }
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, PAUSE);
    signal.addEventListener("abort", done);
  });
}
