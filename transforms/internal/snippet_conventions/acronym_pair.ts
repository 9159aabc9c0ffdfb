import { extension, isBareFileName } from "../path_like.ts";

/** Whether a slash stands for "or" or "and": `CI/CD`, `Input/Output`, `TCP/IP`. */
export function isAcronymPair(text: string): boolean {
  const steps = text.split("/");
  return steps.length > 1 && extension(text) === undefined &&
    !isBareFileName(steps.at(-1)!) &&
    steps.every((step) => /^[A-Z]/.test(step));
}
