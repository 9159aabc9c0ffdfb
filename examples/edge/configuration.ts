import type { ProviderName } from "../../adapters/provider.ts";
import { Problem } from "./problem.ts";
import type { StreamNamespace } from "./stream_object.ts";

/**
 * What the operator configures: environment variables, or bindings on workerd.
 * Nothing of it ever comes from a request.
 */
export interface Environment {
  /** URL of the upstream's endpoint, such as `http://localhost:8000/v1/chat/completions`. */
  UPSTREAM_URL?: string | undefined;
  /** The upstream's key. */
  UPSTREAM_KEY?: string | undefined;
  /** The header for it, when it is not the usual one of the upstream's format. */
  UPSTREAM_KEY_HEADER?: string | undefined;
  /**
   * The format the upstream speaks: `openai-chat` or `anthropic`. Default: by the
   * end of the URL.
   */
  UPSTREAM_PROVIDER?: string | undefined;
  /** The model that is asked for, whatever the request says. */
  UPSTREAM_MODEL?: string | undefined;
  /**
   * The keys of those who may use the gateway, separated by commas; `*` for
   * anyone. Without it only this machine may.
   */
  CLIENT_KEYS?: string | undefined;
  /**
   * `on`; `bare` also takes `<invoke>` calls without their wrapper; `off`.
   * Default: `on`.
   */
  SALVAGE?: string | undefined;
  /**
   * Where `<think>` and the like count: `anywhere`, at the `start` only, `inside`
   * when answers begin in the middle of one, or `off`. Default: `anywhere`.
   */
  REASONING?: string | undefined;
  /** The longest request body, in bytes. Default: 10485760. */
  MAX_REQUEST_BYTES?: string | number | undefined;
  /** The longest answer that is not streamed, in characters. Default: 8388608. */
  MAX_ANSWER_CHARS?: string | number | undefined;
  /** `max_tokens` where the upstream needs it and the request has none. Default: 4096. */
  MAX_TOKENS?: string | number | undefined;
  /** The longest a whole answer may take. Default: 900. */
  STREAM_SECONDS?: string | number | undefined;
  /** The longest the upstream may be silent. Default: 120. */
  IDLE_SECONDS?: string | number | undefined;
  /** After how much silence a keep-alive comment is sent. Default: 15. */
  KEEP_ALIVE_SECONDS?: string | number | undefined;
  /** `on`: one line of JSON for every answer on the console. Default: `off`. */
  LOG?: string | undefined;
  /** The Durable Objects for resumable streams (workerd). */
  STREAMS?: StreamNamespace | undefined;
  /** How long a resumable stream goes on without any reader. Default: 60. */
  RESUME_SECONDS?: string | number | undefined;
  /** How long it can be read again when it is over. Default: 300. */
  RETAIN_SECONDS?: string | number | undefined;
}

/** The formats that requests can have. */
export type RequestFormat = "openai-chat" | "anthropic";

/** Where answers come from. */
export interface Upstream {
  /** The endpoint. */
  readonly url: string;
  /** The key. */
  readonly key: string | undefined;
  /** The header for it. */
  readonly keyHeader: string;
  /** The format of its requests. */
  readonly format: RequestFormat;
  /** The decoder of its answers. */
  readonly provider: ProviderName;
  /** The model that is asked for, if not the request's. */
  readonly model: string | undefined;
}

/** The environment, checked. Times in milliseconds. */
export interface Configuration {
  /** Where answers come from; `undefined` when nothing is configured. */
  readonly upstream: Upstream | undefined;
  /** Who may ask: these keys, anyone, or this machine only (`undefined`). */
  readonly clientKeys: readonly string[] | "*" | undefined;
  /** Whether and how calls are salvaged. */
  readonly salvage: "on" | "bare" | "off";
  /** Where reasoning tags count. */
  readonly reasoning: "anywhere" | "start" | "inside" | "off";
  /** The longest request body, in bytes. */
  readonly maxRequestBytes: number;
  /** The longest answer that is not streamed, in characters. */
  readonly maxAnswerChars: number;
  /** `max_tokens` where the upstream needs it. */
  readonly maxTokens: number;
  /** The longest a whole answer may take. */
  readonly streamTime: number;
  /** The longest the upstream may be silent. */
  readonly idleTime: number;
  /** After how much silence a comment is sent. */
  readonly keepAliveTime: number;
  /** Whether answers are logged. */
  readonly log: boolean;
  /** How long a resumable stream goes on without any reader. */
  readonly resumeTime: number;
  /** How long it can be read again when it is over. */
  readonly retainTime: number;
}

/**
 * Checks the environment. Throws a {@linkcode Problem} that names the variable,
 * never its value: it may be a secret in the wrong place.
 */
export function configure(environment: Environment): Configuration {
  const text = (name: keyof Environment): string | undefined => {
    const value = environment[name];
    const given = value === undefined || value === null ? "" : String(value);
    return given.trim() === "" ? undefined : given.trim();
  };
  const number = (name: keyof Environment, normally: number): number => {
    const given = text(name);
    if (given === undefined) return normally;
    if (!(Number(given) > 0)) {
      throw misconfigured(name, "a number above 0");
    }
    return Number(given);
  };
  const seconds = (name: keyof Environment, normally: number): number =>
    // The longest time a timer takes.
    Math.min(number(name, normally) * 1000, 0x7fffffff);
  const choice = <const Word extends string>(
    name: keyof Environment,
    words: readonly [Word, ...Word[]],
  ): Word => {
    const given = text(name);
    const found = words.find((word) => word === given);
    if (given !== undefined && found === undefined) {
      throw misconfigured(name, words.join(", "));
    }
    return found ?? words[0];
  };
  const keys = text("CLIENT_KEYS");
  return {
    upstream: upstreamOf(text, choice),
    clientKeys: keys === undefined || keys === "*"
      ? keys
      : keys.split(",").map((key) => key.trim()).filter((key) => key !== ""),
    salvage: choice("SALVAGE", ["on", "bare", "off"]),
    reasoning: choice("REASONING", ["anywhere", "start", "inside", "off"]),
    maxRequestBytes: number("MAX_REQUEST_BYTES", 10_485_760),
    maxAnswerChars: number("MAX_ANSWER_CHARS", 8_388_608),
    maxTokens: Math.ceil(number("MAX_TOKENS", 4096)),
    streamTime: seconds("STREAM_SECONDS", 900),
    idleTime: seconds("IDLE_SECONDS", 120),
    keepAliveTime: seconds("KEEP_ALIVE_SECONDS", 15),
    log: choice("LOG", ["off", "on"]) === "on",
    resumeTime: seconds("RESUME_SECONDS", 60),
    retainTime: seconds("RETAIN_SECONDS", 300),
  };
}

function upstreamOf(
  text: (name: keyof Environment) => string | undefined,
  choice: <const Word extends string>(
    name: keyof Environment,
    words: readonly [Word, ...Word[]],
  ) => Word,
): Upstream | undefined {
  const url = text("UPSTREAM_URL");
  if (url === undefined) return undefined;
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    throw misconfigured("UPSTREAM_URL", "a URL");
  }
  if (parsed.protocol !== "https:" && parsed.protocol !== "http:") {
    throw misconfigured("UPSTREAM_URL", "an http or https URL");
  }
  const provider = choice("UPSTREAM_PROVIDER", [
    "auto",
    "openai-chat",
    "anthropic",
  ]);
  const format = provider !== "auto"
    ? provider
    : parsed.pathname.endsWith("/messages")
    ? "anthropic"
    : "openai-chat";
  const keyHeader = text("UPSTREAM_KEY_HEADER")?.toLowerCase() ??
    (format === "anthropic" ? "x-api-key" : "authorization");
  if (!/^[a-z0-9-]+$/.test(keyHeader)) {
    throw misconfigured("UPSTREAM_KEY_HEADER", "the name of a header");
  }
  return {
    url,
    key: text("UPSTREAM_KEY"),
    keyHeader,
    format,
    provider,
    model: text("UPSTREAM_MODEL"),
  };
}

function misconfigured(name: string, wanted: string): Problem {
  return new Problem(
    503,
    `The gateway is not configured: ${name} has to be ${wanted}`,
    { code: "configuration" },
  );
}
