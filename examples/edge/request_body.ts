import { sanitizeMessages } from "../../mod.ts";
import { type Fields, isObject } from "./json.ts";
import { Problem } from "./problem.ts";

/**
 * The JSON object in a request, every string of it well-formed: one unpaired
 * surrogate, and many a backend refuses the whole request.
 *
 * @throws {Problem} When it is too long or is none.
 */
export async function readRequest(
  request: Request,
  maxBytes: number,
): Promise<Fields> {
  let body: unknown;
  const text = await readText(request, maxBytes);
  try {
    body = JSON.parse(text);
  } catch {
    throw new Problem(400, "The request body is not JSON");
  }
  if (!isObject(body)) {
    throw new Problem(400, "The request body is not an object");
  }
  return sanitizeMessages(body);
}

async function readText(request: Request, maxBytes: number): Promise<string> {
  const tooLong = new Problem(
    413,
    `The request is longer than ${maxBytes} bytes`,
  );
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) {
    throw tooLong;
  }
  if (request.body === null) return "";
  const decoder = new TextDecoder();
  const pieces: string[] = [];
  let length = 0;
  const reader = request.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.byteLength;
    if (length > maxBytes) {
      reader.cancel(tooLong).catch(() => {});
      throw tooLong;
    }
    pieces.push(decoder.decode(value, { stream: true }));
  }
  pieces.push(decoder.decode());
  return pieces.join("");
}
