/** What a problem may say beyond its message. */
export interface ProblemOptions {
  /** A stable code for programs. */
  code?: string;
  /** Response headers, such as `retry-after`. */
  headers?: Record<string, string>;
}

/** A request that gets no answer, with the status that says so. */
export class Problem extends Error {
  /** The HTTP status. */
  readonly status: number;
  /** A stable code for programs. */
  readonly code: string | undefined;
  /** Response headers, such as `retry-after`. */
  readonly headers: Record<string, string>;

  /**
   * Makes the problem.
   *
   * @param status The HTTP status.
   * @param message What is wrong and what to do, for the client.
   * @param options See {@linkcode ProblemOptions}.
   */
  constructor(status: number, message: string, options: ProblemOptions = {}) {
    super(message);
    this.name = "Problem";
    this.status = status;
    this.code = options.code;
    this.headers = options.headers ?? {};
  }
}

const TYPES: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error",
};

/** The word for a status that both OpenAI's and Anthropic's clients know. */
export function typeOf(status: number): string {
  return TYPES[status] ??
    (status >= 500 ? "api_error" : "invalid_request_error");
}

/** Something that a request says and the upstream's format has no word for. */
export function untranslatable(what: string): Problem {
  return new Problem(
    400,
    `Cannot translate ${what} to the format of the upstream`,
    { code: "unsupported_parameter" },
  );
}
