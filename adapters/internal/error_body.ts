import { StreamError } from "../stream_error.ts";
import { excerptOf } from "./limits.ts";

/** How much of a body that is no stream is read to find out what it says. */
export const ERROR_BODY_CHARS = 65_536;

/** What a body that is no stream says. */
export interface BodyMessage {
  /** In the words of the provider, or how the body begins. */
  message: string;
  /** Whether these are the words of the provider. */
  spoken: boolean;
}

/** Reads an error body: JSON of the usual shapes, a web page's title, or as it is. */
export function messageOfBody(body: string): BodyMessage {
  const text = body.replace(/^\ufeff/, "").trim();
  const message = messageOfJSON(text) ?? messageOfEvents(text) ?? titleOf(text);
  return message === undefined
    ? { message: excerptOf(text), spoken: false }
    : { message: excerptOf(message), spoken: true };
}

/** The error of an answer with an error status. */
export function httpError(
  status: number,
  statusText: string | undefined,
  body: string,
): StreamError {
  const { message, spoken } = messageOfBody(body);
  const words = statusText === undefined || statusText === ""
    ? ""
    : ` ${statusText}`;
  const rest = message === ""
    ? ""
    : `: ${spoken ? message : JSON.stringify(message)}`;
  return new StreamError(
    `http-${status}`,
    `The server answered ${status}${words}${rest}`,
    { status, excerpt: excerptOf(body) },
  );
}

function messageOfJSON(text: string): string | undefined {
  if (!/^[{["]/.test(text)) return undefined;
  try {
    return messageIn(JSON.parse(text), 4);
  } catch {
    return undefined;
  }
}

/** An error in the form of an event stream. */
function messageOfEvents(text: string): string | undefined {
  for (const line of text.split(/[\r\n]+/, 64)) {
    if (!line.startsWith("data:")) continue;
    const message = messageOfJSON(line.slice(5).trim());
    if (message !== undefined) return message;
  }
  return undefined;
}

function titleOf(text: string): string | undefined {
  if (!text.startsWith("<")) return undefined;
  const lower = text.toLowerCase();
  const open = lower.indexOf("<title");
  const from = open < 0 ? -1 : lower.indexOf(">", open);
  const to = from < 0 ? -1 : lower.indexOf("</title", from);
  const title = to < 0 ? "" : text.slice(from + 1, to).trim();
  return title === "" ? undefined : `a web page titled "${title}"`;
}

/** The message in the error shapes of providers and gateways. */
function messageIn(value: unknown, depth: number): string | undefined {
  if (typeof value === "string") return value === "" ? undefined : value;
  if (typeof value !== "object" || value === null || depth === 0) {
    return undefined;
  }
  if (Array.isArray(value)) return messageIn(value[0], depth - 1);
  const fields = value as Record<string, unknown>;
  for (
    const key of [
      "error",
      "message",
      "detail",
      "errors",
      "msg",
      "error_description",
    ]
  ) {
    if (!Object.hasOwn(fields, key)) continue;
    const message = messageIn(fields[key], depth - 1);
    if (message !== undefined) return message;
  }
  return undefined;
}
