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

/** A form with its tokens, ready for reading. */
export interface CompiledForm {
  readonly dialect: string;
  readonly form: DialectForm;
  readonly program: TokenProgram;
  /** First code units of the tokens that matter inside a value. */
  readonly triggers: readonly number[];
  /** Whether calls stand in a wrapper. */
  readonly wrapped: boolean;
  /** What it begins with; `undefined` when that depends on the tools. */
  readonly openings: readonly string[] | undefined;
  /** What a call's opener begins with. */
  readonly callOpenings: readonly string[];
  /** What a parameter's opener begins with, when that is more than a bracket. */
  readonly parameterOpenings: readonly string[];
  /** Whether the wrapper is a fence, so that what is left of it is quoted. */
  readonly fenced: boolean;
}

/** Compiles a form. */
export function compileForm(dialect: string, form: DialectForm): CompiledForm {
  const { call } = form;
  const body = call.body;
  const bodyStart = body === undefined ? "<" : body === "python" ? "(" : "{";
  const program = new TokenProgram([
    [UNIT_OPEN, form.open],
    [UNIT_CLOSE, form.close],
    [CALL_OPEN, call.open, bodyStart],
    [CALL_EMPTY, call.empty],
    [CALL_CLOSE, call.close],
    [PARAMETER_OPEN, call.parameter?.open],
    [PARAMETER_CLOSE, call.parameter?.close],
  ]);
  const compiled = {
    dialect,
    form,
    program,
    triggers: program.firstUnits(~0),
    wrapped: form.open !== undefined || call.open === undefined,
    callOpenings: (call.open ?? []).flatMap((pattern) => openings(pattern, []))
      .filter((opening) => opening !== ""),
    parameterOpenings: call.parameter === undefined || call.parameter.tagged
      ? []
      : call.parameter.open.flatMap((pattern) => openings(pattern, [])),
    fenced: (form.open ?? []).some((pattern) =>
      openings(pattern, []).some((opening) => opening.includes("```"))
    ),
  };
  // A tool's name as tag gives one opening for each tool.
  const all = openingsOf(compiled, [""]);
  const two = openingsOf(compiled, ["", "x"]);
  return {
    ...compiled,
    openings: all.length === two.length ? all : undefined,
  };
}

/** The literal texts that a form begins with. */
export function openingsOf(
  { form: { open, call } }: Pick<CompiledForm, "form">,
  tools: readonly string[],
): string[] {
  const patterns = open ?? [...call.open ?? [], ...call.empty ?? []];
  const all = patterns.flatMap((pattern) => openings(pattern, tools));
  return [...new Set(all)].filter((opening) => opening !== "");
}
