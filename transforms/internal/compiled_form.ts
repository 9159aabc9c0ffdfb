import type { DialectForm } from "../dialect.ts";
import {
  CALL_CLOSE,
  CALL_EMPTY,
  CALL_OPEN,
  openings,
  PARAMETER_CLOSE,
  PARAMETER_OPEN,
  TokenProgram,
  UNIT_CLOSE,
  UNIT_OPEN,
} from "./token_program.ts";

/**
 * A form with its tokens, ready for reading. The tokens are only put together
 * when something begins like the form: that is rare, and there are many forms.
 */
export class CompiledForm {
  readonly dialect: string;
  readonly form: DialectForm;
  /** Whether calls stand in a wrapper. */
  readonly wrapped: boolean;
  /** Whether the wrapper is a fence, so that what is left of it is quoted. */
  readonly fenced: boolean;
  /** Whether a call's own markup opens a fence. */
  readonly opensFence: boolean;
  /** What it begins with; `undefined` when that depends on the tools. */
  readonly #openings: readonly string[] | undefined;
  #program: TokenProgram | undefined;
  #triggers: readonly number[] | undefined;
  #callOpenings: readonly string[] | undefined;
  #parameterOpenings: readonly string[] | undefined;

  /**
   * @param dialect The name of the form's dialect.
   * @param form The form.
   */
  constructor(dialect: string, form: DialectForm) {
    this.dialect = dialect;
    this.form = form;
    this.wrapped = form.open !== undefined || form.call.open === undefined;
    this.fenced = (form.open ?? []).some((pattern) =>
      openings(pattern, []).some((opening) => opening.includes("```"))
    );
    this.opensFence = (form.call.open ?? []).some((pattern) =>
      pattern.includes("```")
    );
    // A tool's name as tag gives one opening for each tool.
    const all = openingsOf(form, [""]);
    const two = openingsOf(form, ["", "x"]);
    this.#openings = all.length === two.length ? all : undefined;
  }

  /** The literal texts that it begins with, given the tools' names. */
  openings(tools: readonly string[]): readonly string[] {
    return this.#openings ?? openingsOf(this.form, tools);
  }

  get program(): TokenProgram {
    return this.#program ??= programOf(this.form);
  }

  /** First code units of the tokens that matter inside a value. */
  get triggers(): readonly number[] {
    return this.#triggers ??= this.program.firstUnits(~0);
  }

  /** What a call's opener begins with. */
  get callOpenings(): readonly string[] {
    return this.#callOpenings ??= (this.form.call.open ?? [])
      .flatMap((pattern) => openings(pattern, []))
      .filter((opening) => opening !== "");
  }

  /** What a parameter's opener begins with, when that is more than a bracket. */
  get parameterOpenings(): readonly string[] {
    const { parameter } = this.form.call;
    return this.#parameterOpenings ??=
      parameter === undefined || parameter.tagged
        ? []
        : parameter.open.flatMap((pattern) => openings(pattern, []));
  }
}

function programOf({ open, close, call }: DialectForm): TokenProgram {
  const body = call.body;
  const bodyStart = body === undefined ? "<" : body === "python" ? "(" : "{";
  return new TokenProgram([
    [UNIT_OPEN, open],
    [UNIT_CLOSE, close],
    [CALL_OPEN, call.open, bodyStart],
    [CALL_EMPTY, call.empty],
    [CALL_CLOSE, call.close],
    [PARAMETER_OPEN, call.parameter?.open],
    [PARAMETER_CLOSE, call.parameter?.close],
  ]);
}

function openingsOf(
  { open, call }: DialectForm,
  tools: readonly string[],
): string[] {
  const patterns = open ?? [...call.open ?? [], ...call.empty ?? []];
  const all = patterns.flatMap((pattern) => openings(pattern, tools));
  return [...new Set(all)].filter((opening) => opening !== "");
}
