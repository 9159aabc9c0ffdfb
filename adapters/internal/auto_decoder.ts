import type { FinishPart, Part } from "../../transforms/part.ts";
import type { Emit, Stage } from "../../transforms/stage.ts";
import {
  makeSnapshot,
  openSnapshot,
} from "../../transforms/internal/snapshot.ts";
import type { Provider, ProviderInput, ProviderOptions } from "../provider.ts";
import { checkDecoderOptions } from "./decoder.ts";

/** Before an event that a provider knows. */
interface Waiting {
  /** Whether the warning about unknown events has been given. */
  warned: boolean;
  /** How the stream failed, if it did. */
  failed: "" | "error" | "cancelled";
  /** The provider, once known, and its snapshot. */
  provider?: string;
  decoder?: unknown;
}

/** Waits for the first event that a provider knows, then is that provider's decoder. */
export class AutoDecoder implements Stage<ProviderInput, Part> {
  readonly #providers: readonly Provider[];
  readonly #options: ProviderOptions;
  readonly #waiting: Waiting;
  #provider: Provider | undefined;
  #decoder: Stage<ProviderInput, Part> | undefined;

  constructor(
    providers: readonly Provider[],
    options: ProviderOptions,
    snapshot?: unknown,
  ) {
    // The decoder that they are for is not made before the first event.
    checkDecoderOptions(options);
    this.#providers = providers;
    this.#options = options;
    this.#waiting = openSnapshot<Waiting>("auto", snapshot) ??
      { warned: false, failed: "" };
    if (this.#waiting.provider !== undefined) {
      this.#provider = providers.find((one) =>
        one.name === this.#waiting.provider
      );
      if (this.#provider === undefined) {
        throw new TypeError(
          `Cannot resume: there is no provider "${this.#waiting.provider}"`,
        );
      }
      this.#decoder = this.#provider.create(options, this.#waiting.decoder);
    }
  }

  push(input: ProviderInput, emit: Emit<Part>): void {
    this.#decoder ??= this.#choose(input, emit);
    this.#decoder?.push(input, emit);
  }

  end(emit: Emit<Part>): void {
    if (this.#decoder !== undefined) return this.#decoder.end(emit);
    const part: FinishPart = {
      type: "finish",
      reason: this.#waiting.failed || "unknown",
      complete: false,
    };
    emit(part);
  }

  snapshot(): unknown {
    if (this.#decoder === undefined) return makeSnapshot("auto", this.#waiting);
    return makeSnapshot("auto", {
      ...this.#waiting,
      provider: this.#provider!.name,
      decoder: this.#decoder.snapshot(),
    });
  }

  #choose(
    input: ProviderInput,
    emit: Emit<Part>,
  ): Stage<ProviderInput, Part> | undefined {
    if (input.error !== undefined) {
      emit({ type: "error", error: input.error, fatal: true });
      this.#waiting.failed = input.error.name === "AbortError"
        ? "cancelled"
        : "error";
      return undefined;
    }
    let value = input.value;
    let line: unknown;
    if (value === undefined) {
      try {
        value = JSON.parse(input.data);
      } catch {
        const text = input.data.trim();
        if (text === "" || text.startsWith(":") || text === "[DONE]") {
          return undefined;
        }
        value = input.data;
        line = firstOf(text);
      }
    }
    const first: unknown = line ?? (Array.isArray(value) ? value[0] : value);
    const found = this.#providers.find((one) => one.detect(first, input.event));
    if (found !== undefined) {
      this.#provider = found;
      return found.create(this.#options);
    }
    if (!this.#waiting.warned) {
      this.#waiting.warned = true;
      emit({
        type: "warning",
        code: "unknown-provider",
        message:
          "No provider knows the events of this stream; they pass as they are. Name the provider, or bring your own",
      });
    }
    if (this.#options.raw !== "none") emit({ type: "raw", value });
    return undefined;
  }
}

/** The first of several events in one, when there is a line for each. */
function firstOf(text: string): unknown {
  const end = text.indexOf("\n");
  if (end < 0) return undefined;
  try {
    return JSON.parse(text.slice(0, end));
  } catch {
    return undefined;
  }
}
