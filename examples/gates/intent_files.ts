/**
 * The intents of a workspace in files: `.orchestration/active_intents.yaml`, which
 * people edit, and `.orchestration/agent_trace.jsonl`, to which every write of
 * the agent adds a line.
 *
 *     const files = new IntentFiles("/home/me/project");
 *     const gate = new ToolGateStream({ policy: files.intents.policy });
 *     // after a call has run: await files.intents.recordWrite(call);
 */
import { type FSWatcher, watch } from "node:fs";
import { appendFile, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import {
  type Intent,
  IntentPolicy,
  type IntentPolicyOptions,
} from "../../mod.ts";

const FOLDER = ".orchestration";
const INTENTS = "active_intents.yaml";
const TRACE = "agent_trace.jsonl";

/** How long the file has to be quiet until it is read again, in milliseconds. */
const QUIET = 50;

/** Options of {@linkcode IntentFiles}. */
export interface IntentFilesOptions
  extends Omit<IntentPolicyOptions, "load" | "trace" | "workspace"> {
  /** Hears what a changed file says now, or why it cannot be read. */
  onReload?: (intents: readonly Intent[] | Error) => void;
}

/** A workspace's intents, read again when their file changes. */
export class IntentFiles {
  /** The policy for the gate. */
  readonly intents: IntentPolicy;
  readonly #folder: string;
  readonly #onReload: IntentFilesOptions["onReload"];
  #watcher: FSWatcher | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(workspace: string, options: IntentFilesOptions = {}) {
    const { onReload, ...policy } = options;
    this.#folder = join(workspace, FOLDER);
    this.#onReload = onReload;
    this.intents = new IntentPolicy({
      ...policy,
      workspace,
      load: async () => parse(await readFile(this.#path(INTENTS), "utf8")),
      trace: (line) => appendFile(this.#path(TRACE), line),
    });
  }

  /**
   * Watches the file, so that an intent that is taken back stops its calls at
   * once, not at the next handshake.
   */
  async watch(): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    // The folder, since editors write another file and rename it.
    this.#watcher = watch(this.#folder, (_event, name) => {
      if (name !== null && name !== INTENTS) return;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.#reload(), QUIET);
    });
  }

  /** Stops watching. */
  close(): void {
    this.#watcher?.close();
    clearTimeout(this.#timer);
  }

  async #reload(): Promise<void> {
    try {
      this.#onReload?.(await this.intents.reload());
    } catch (error) {
      // No intent is known now, so that nothing is changed.
      this.#onReload?.(error as Error);
    }
  }

  #path(name: string): string {
    return join(this.#folder, name);
  }
}
