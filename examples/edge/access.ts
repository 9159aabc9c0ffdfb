import type { Configuration } from "./configuration.ts";
import { Problem } from "./problem.ts";

/**
 * Sees to it that not everyone spends the operator's tokens. With keys, one of
 * them has to come, as OpenAI's clients send it or as Anthropic's do. Without
 * any, only requests to this very machine are answered, and none that a web
 * page makes.
 *
 * @throws {Problem} When this one may not.
 */
export async function checkAccess(
  request: Request,
  { clientKeys }: Configuration,
): Promise<void> {
  if (clientKeys === "*") return;
  if (clientKeys === undefined) {
    const url = new URL(request.url);
    const origin = request.headers.get("origin");
    if (
      isLoopback(url.hostname) && (origin === null || origin === url.origin)
    ) {
      return;
    }
    throw new Problem(
      403,
      "This gateway has no CLIENT_KEYS, so it answers this machine only",
      { code: "no_client_keys" },
    );
  }
  const given = request.headers.get("x-api-key") ??
    /^Bearer +(.+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
  if (given === undefined || !await isOneOf(given.trim(), clientKeys)) {
    throw new Problem(401, "The gateway does not know this key", {
      code: "invalid_api_key",
    });
  }
}

/** Whether a host name or address is the machine's own. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || host === "::1" ||
    /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** Compares digests, so that the time taken tells nothing about a key. */
async function isOneOf(
  given: string,
  keys: readonly string[],
): Promise<boolean> {
  const digest = await digestOf(given);
  let found = false;
  for (const key of keys) {
    const other = await digestOf(key);
    let difference = 0;
    for (const [index, byte] of digest.entries()) {
      difference |= byte ^ other[index]!;
    }
    if (difference === 0) found = true;
  }
  return found;
}

async function digestOf(text: string): Promise<Uint8Array> {
  return new Uint8Array(
    await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)),
  );
}
