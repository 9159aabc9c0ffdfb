/**
 * What an adapter of an agent's command line does: a line becomes an event, an
 * event becomes what a server has to send and to do. {@linkcode ClaudeCodeAdapter}
 * is one; other command lines fit the same frame.
 *
 * @module
 */

/**
 * What became of a line.
 *
 * @typeParam Event The events of the protocol.
 */
export type ParseResult<Event> =
  /** An event of the right shape. */
  | { status: "ok"; event: Event }
  /** Nothing to act on: an empty line, log noise, a keep-alive. */
  | { status: "skip"; reason: SkipReason }
  /** JSON of a type this version does not know. Not an error: protocols grow. */
  | { status: "unknown"; type: string; raw: RawEvent }
  /** A known type in a wrong shape. */
  | { status: "error"; error: string; raw: RawEvent };

/** Why a line was skipped. */
export type SkipReason = "empty" | "not-json" | "no-type" | "keep-alive";

/** A JSON object with a type, nothing else known. */
export interface RawEvent {
  /** What it says it is. */
  type: string;
  /** Whatever else there is. */
  [key: string]: unknown;
}

/** An event for the clients of a server, as over a web socket. */
export interface SocketEvent {
  /** `type:subtype`, such as `message:assistant`. */
  name: string;
  /** The event's data. */
  payload: Record<string, unknown>;
}

/** Something the server itself has to do. */
export type ServerAction =
  /** A request was answered here: write the line to the agent's stdin. */
  | { type: "auto_respond"; requestId: string; line: string }
  /** A tool has changed a file: read what changed. */
  | { type: "read_diff"; path: string; toolUseId: string }
  /** A person has to answer: show it, and write the answer to the agent's stdin. */
  | { type: "forward_to_client"; requestId: string; event: SocketEvent };

/** What an event asks for. All four are always there. */
export interface AdapterOutput {
  /** To send to the clients, in order. */
  events: SocketEvent[];
  /** Requests answered here, as lines to write to the agent's stdin. Each has its `auto_respond` action too. */
  autoResponses: string[];
  /** Answers of the agent to requests of the host, to be matched by `request_id`. */
  controlResponses: Record<string, unknown>[];
  /** To do, in order. */
  serverActions: ServerAction[];
}

/**
 * An adapter of an agent's command line.
 *
 * @typeParam Event The events of the protocol.
 *
 * @example An adapter of another protocol
 * ```ts
 * import type { AdapterOutput, ParseResult, ProviderAdapter, RawEvent } from "@millrace/millrace/adapters/claude_code";
 *
 * interface Tick extends RawEvent {
 *   type: "tick";
 *   n: number;
 * }
 *
 * const ticker: ProviderAdapter<Tick> = {
 *   parseLine(line: string): ParseResult<Tick> {
 *     if (!/^\d+$/.test(line)) return { status: "skip", reason: "not-json" };
 *     return { status: "ok", event: { type: "tick", n: Number(line) } };
 *   },
 *   transform(event: Tick | RawEvent): AdapterOutput {
 *     return {
 *       events: [{ name: "tick", payload: { n: event["n"] } }],
 *       autoResponses: [],
 *       controlResponses: [],
 *       serverActions: [],
 *     };
 *   },
 * };
 *
 * const result = ticker.parseLine("7");
 * if (result.status !== "ok" || ticker.transform(result.event).events.length !== 1) throw new Error();
 * ```
 */
export interface ProviderAdapter<Event extends RawEvent> {
  /** One line of output. Never throws. */
  parseLine(line: string): ParseResult<Event>;
  /** One event, or the `raw` of an unknown one. Never throws. */
  transform(event: Event | RawEvent): AdapterOutput;
}
