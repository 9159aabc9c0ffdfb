/** A connection that breaks for real, at every event of a recorded stream. */
import { fromSSE } from "../../adapters/sse.ts";
import type { Part } from "../../mod.ts";
import { Consumer } from "./consumer.ts";

/** What a client is asked for. */
export interface SocketJob {
  /** Where the stream is; `/k/break` is cut behind event k, `/k/hang` stands still. */
  url: string;
  events: number;
}

function finishOf(consumer: Consumer): string {
  const parts = consumer.output as Part[];
  const finishes = parts.filter(({ type }) => type === "finish");
  const last = parts.at(-1);
  const errors = parts.filter(({ type }) => type === "error").length;
  return finishes.length === 1 && last?.type === "finish"
    ? `${consumer.ended} ${last.reason} ${last.complete} ${errors}`
    : `${consumer.ended} with ${finishes.length} finish parts`;
}

function textOf(consumer: Consumer): string {
  return (consumer.output as Part[]).map((part) =>
    part.type === "text" ? part.text : ""
  ).join("");
}

/** What came of every connection, one line each. */
export async function runSockets(
  { url, events }: SocketJob,
): Promise<string[]> {
  const lines: string[] = [];
  for (let at = 1; at < events; at++) {
    for (const how of ["break", "hang", "cancel"]) {
      const abort = new AbortController();
      const response = await fetch(
        `${url}/${at}/${how === "cancel" ? "hang" : how}`,
      );
      const consumer = new Consumer(
        fromSSE(response, { provider: "openai-chat", signal: abort.signal }),
      );
      const reading = consumer.read();
      if (how === "break") await reading;
      else {
        // Until all that was sent is there.
        while (textOf(consumer).length < at) {
          await new Promise((go) => setTimeout(go, 2));
        }
        if (how === "hang") abort.abort();
        else await consumer.cancel("enough");
        await reading;
      }
      lines.push(
        `${at} ${how}: ${textOf(consumer)} ${
          how === "cancel" ? consumer.ended : finishOf(consumer)
        }`,
      );
    }
  }
  return lines;
}
