import type { Fence } from "../part.ts";
import { decodeEntity } from "./entities.ts";

/** Makes a fence of its opening line. `written` is what follows the marker on it. */
export function makeFence(
  id: string,
  marker: string,
  written: string,
  start: number,
): Fence {
  const info = decodeInfo(written.trim());
  const fence: Fence = { id, info, marker, start };
  if (info === "") return fence;
  const space = info.search(/\s/);
  if (space < 0) fence.language = info;
  else {
    fence.language = info.slice(0, space);
    const meta = info.slice(space).trim();
    if (meta !== "") fence.meta = meta;
  }
  return fence;
}

/** Decodes back-slash escapes and character references, in one pass. */
export function decodeInfo(written: string): string {
  if (!written.includes("\\") && !written.includes("&")) return written;
  return written.replace(
    /\\([!-/:-@[-`{-~])|&(#[xX][0-9a-fA-F]{1,6}|#[0-9]{1,7}|[a-zA-Z][a-zA-Z0-9]{1,31});/g,
    (whole: string, escaped?: string, reference?: string) =>
      escaped ?? decodeEntity(reference!) ?? whole,
  );
}
