import type { Part } from "../../transforms/part.ts";
import type { Emit, Stage } from "../../transforms/stage.ts";
import {
  makeSnapshot,
  openSnapshot,
} from "../../transforms/internal/snapshot.ts";
import { oneLine } from "./json.ts";

/** Parts in, their JSON framed as text out. Strings stand for text parts. */
export class PartEncoder implements Stage<string | Part, string> {
  readonly #name: string;
  readonly #frame: (json: string) => string;
  /** Offset of the next code unit in the text channel. */
  #offset: number;

  constructor(
    name: string,
    frame: (json: string) => string,
    snapshot: unknown,
  ) {
    this.#name = name;
    this.#frame = frame;
    this.#offset = openSnapshot<{ offset: number }>(name, snapshot)?.offset ??
      0;
  }

  push(input: string | Part, emit: Emit<string>): void {
    let part = input;
    if (typeof part === "string") {
      if (part === "") return;
      part = { type: "text", text: part, start: this.#offset };
    }
    if (
      part?.type === "text" && typeof part.text === "string" &&
      typeof part.start === "number"
    ) this.#offset = part.start + part.text.length;
    emit(this.#frame(jsonOf(part)));
  }

  end(): void {}

  snapshot(): unknown {
    return makeSnapshot(this.#name, { offset: this.#offset });
  }
}

/** A part of someone else's may hold what JSON has no form for. */
function jsonOf(part: Part): string {
  try {
    return oneLine(JSON.stringify(part) ?? "null");
  } catch (error) {
    const warning: Part = {
      type: "warning",
      code: "malformed",
      message: `Dropped a part of type "${part.type}" that is not JSON: ${
        error instanceof Error ? error.message : String(error)
      }`,
    };
    return JSON.stringify(warning);
  }
}
