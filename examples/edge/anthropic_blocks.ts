import type { AnthropicEncoderStream } from "../../adapters/encode_anthropic.ts";
import type { Emit, Part, Stage } from "../../mod.ts";
import { type Fields, isObject } from "./json.ts";

/** A block on the way to the client. */
interface Block {
  /** Its number in the encoder; none for one that the encoder knows nothing of. */
  inner: number | null;
  /** Its number on the wire. */
  index: number;
  /** How it began. */
  block: Fields;
  /** Whether it is open on the wire. */
  open: boolean;
}

interface State {
  began: boolean;
  /** The number of the next block. */
  next: number;
  /** The encoder's last block. */
  last: Block | null;
  /** A block that is passed through, by its number upstream. */
  passing: { upstream: unknown; index: number } | null;
}

/**
 * Anthropic's encoder for an Anthropic upstream: what the decoder has no part
 * for, and gives out as `raw`, goes to the client as it is. Without the
 * signatures of thinking, and redacted thinking, the API refuses the next turn;
 * the others are the blocks of tools that run at the provider, and citations.
 *
 * The encoder numbers its blocks itself. Those that are passed through come in
 * between, so what follows is numbered anew, and a block that is interrupted goes
 * on as another one.
 *
 * ```txt
 *             raw: a block begins              raw: its deltas
 *   block of the encoder ───── closed ────▶ block passed through ──┐
 *            ▲                                      ▲              │
 *            └── closed, begun anew if it goes on ──┴──────────────┘
 * ```
 */
export class AnthropicBlocks implements Stage<string | Part, string> {
  readonly #make: (snapshot?: unknown) => AnthropicEncoderStream;
  readonly #encoder: Stage<string | Part, string>;
  readonly #state: State;
  #emit: Emit<string> = () => {};

  /**
   * @param make Makes the encoder.
   * @param snapshot What an earlier stage's `snapshot()` gave.
   */
  constructor(
    make: (snapshot?: unknown) => AnthropicEncoderStream,
    snapshot: unknown,
  ) {
    const saved = snapshot as { encoder: unknown; state: State } | undefined;
    this.#make = make;
    this.#encoder = make(saved?.encoder).stage;
    this.#state = saved === undefined
      ? { began: false, next: 0, last: null, passing: null }
      : structuredClone(saved.state);
  }

  push(part: string | Part, emit: Emit<string>): void {
    this.#emit = emit;
    if (typeof part === "string" || part.type !== "raw") {
      this.#encoder.push(part, this.#event);
    } else if (isObject(part.value)) this.#raw(part.value);
  }

  end(emit: Emit<string>): void {
    this.#emit = emit;
    this.#encoder.end(this.#event);
  }

  snapshot(): unknown {
    return structuredClone({
      encoder: this.#encoder.snapshot(),
      state: this.#state,
    });
  }

  /** What the encoder says. */
  readonly #event = (text: string): void => {
    const state = this.#state;
    // "event: <type>\ndata: <json>\n\n"
    const type = text.slice(7, text.indexOf("\n"));
    switch (type) {
      case "message_start":
        if (!state.began) this.#emit(text);
        state.began = true;
        return;
      case "content_block_start": {
        this.#closePassing();
        const { index, content_block } = dataOf(text);
        state.last = {
          inner: index as number,
          index: state.next++,
          block: content_block as Fields,
          open: true,
        };
        break;
      }
      case "content_block_delta":
        this.#closePassing();
        this.#reopen(state.last!);
        break;
      case "content_block_stop":
        if (!state.last!.open) return;
        state.last!.open = false;
        break;
      default:
        this.#closePassing();
        this.#emit(text);
        return;
    }
    const { inner, index } = state.last!;
    if (inner === index) this.#emit(text);
    else this.#send(type, { ...dataOf(text), index });
  };

  /** What the upstream says that no part says. */
  #raw(value: Fields): void {
    const { last, passing } = this.#state;
    if (value.type === "content_block_start") {
      if (!isObject(value.content_block)) return;
      const { type } = value.content_block;
      if (type === "text" || type === "thinking" || type === "tool_use") return;
      this.#pass(value.index, value.content_block);
    } else if (value.type === "content_block_delta" && isObject(value.delta)) {
      const { delta } = value;
      const kind = last?.open === true ? last.block.type : undefined;
      if (passing !== null && passing.upstream === value.index) {
        this.#send(value.type, { index: passing.index, delta });
      } else if (delta.type === "signature_delta") {
        if (kind === "thinking") {
          this.#send(value.type, { index: last!.index, delta });
          // Whatever more is thought is not what was signed.
          this.#close(last!);
        } else {
          const block = { type: "thinking", thinking: "", signature: "" };
          const index = this.#pass(value.index, block);
          this.#send(value.type, { index, delta });
        }
      } else if (delta.type === "citations_delta" && kind === "text") {
        this.#send(value.type, { index: last!.index, delta });
      }
    }
  }

  /** Begins a block that the encoder knows nothing of. */
  #pass(upstream: unknown, content_block: Fields): number {
    const state = this.#state;
    if (!state.began) {
      // The encoder begins with its first text only.
      const probe = this.#make().stage;
      const begin: string[] = [];
      probe.push("-", (text) => begin.push(text));
      this.#event(begin[0]!);
    }
    this.#closePassing();
    if (state.last?.open) this.#close(state.last);
    const index = state.next++;
    state.passing = { upstream, index };
    this.#send("content_block_start", { index, content_block });
    return index;
  }

  #closePassing(): void {
    const { passing } = this.#state;
    if (passing === null) return;
    this.#state.passing = null;
    this.#send("content_block_stop", { index: passing.index });
  }

  #close(block: Block): void {
    block.open = false;
    this.#send("content_block_stop", { index: block.index });
  }

  #reopen(block: Block): void {
    if (block.open) return;
    block.open = true;
    block.index = this.#state.next++;
    this.#send("content_block_start", {
      index: block.index,
      content_block: block.block,
    });
  }

  #send(type: string, data: Fields): void {
    this.#emit(
      `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`,
    );
  }
}

function dataOf(text: string): Fields {
  return JSON.parse(text.slice(text.indexOf("\ndata: ") + 7)) as Fields;
}
