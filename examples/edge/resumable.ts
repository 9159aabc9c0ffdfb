import type { Client } from "./client.ts";
import type { Fields } from "./json.ts";
import { Problem } from "./problem.ts";
import {
  checked,
  logOf,
  type StartRequest,
  type StreamNamespace,
} from "./stream_object.ts";
import { passedOn } from "./upstream.ts";

/** A stream's name cannot be guessed: who has it may read the stream. */
const NAME = /^[A-Za-z0-9_-]{22}$/;

/**
 * Begins a stream that can be gone on with: its events have ids. A request with
 * `Last-Event-ID` goes on with the stream of that event instead, since that is
 * what clients do that repeat a request.
 *
 * @throws {Problem} When there is no answer.
 */
export async function startResumable(
  request: Request,
  body: Fields,
  client: Client,
  streams: StreamNamespace,
): Promise<Response> {
  const last = request.headers.get("last-event-id");
  if (last !== null && last !== "") {
    return await resume(request, last.split(".")[0]!, streams);
  }
  const name = randomName();
  const start: StartRequest = {
    name,
    client: client.format,
    body,
    headers: [...passedOn(request.headers, true)],
  };
  const source = streams.get(streams.idFromName(`${name}/source`));
  return await checked(
    await source.fetch("https://stream/start", {
      method: "POST",
      body: JSON.stringify(start),
    }),
  );
}

/**
 * Goes on with a stream behind the event in `Last-Event-ID`, or from its
 * beginning.
 *
 * @param request The client's request.
 * @param name The stream's name.
 * @param streams The objects, if there are any.
 * @throws {Problem} When that is not possible.
 */
export async function resume(
  request: Request,
  name: string,
  streams: StreamNamespace | undefined,
): Promise<Response> {
  if (streams === undefined) {
    throw new Problem(404, "This gateway keeps no streams");
  }
  const last = request.headers.get("last-event-id") ?? "";
  const [of, number] = last === "" ? [name, "0"] : last.split(".");
  if (!NAME.test(name) || of !== name || !/^\d{1,15}$/.test(number ?? "")) {
    throw new Problem(400, "This is no event of that stream", {
      code: "unknown_event",
    });
  }
  return await logOf(streams, name).read(Number(number));
}

function randomName(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll(
    "/",
    "_",
  ).replaceAll("=", "");
}
