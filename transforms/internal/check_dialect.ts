import type {
  Dialect,
  DialectForm,
  Pattern,
  PatternElement,
} from "../dialect.ts";
import { expand, openings } from "./token_program.ts";

/** Throws a `TypeError` when a dialect cannot be read. */
export function checkDialect(dialect: Dialect): void {
  const { name, forms } = dialect;
  if (typeof name !== "string" || name === "") {
    throw new TypeError("Cannot use a dialect: it has no name");
  }
  if (!Array.isArray(forms) || forms.length === 0) {
    throw new TypeError(`Cannot use dialect "${name}": it has no forms`);
  }
  for (const [index, form] of forms.entries()) {
    const why = faultOf(form);
    if (why !== undefined) {
      throw new TypeError(`Cannot use dialect "${name}": form ${index} ${why}`);
    }
  }
}

const NAMES: readonly PatternElement["match"][] = [
  "name",
  "tool",
  "attributes",
];
const KEYS: readonly PatternElement["match"][] = ["key", "name", "attributes"];

function faultOf(form: DialectForm): string | undefined {
  const { call } = form;
  if (typeof call !== "object" || call === null) return "has no call";
  const { body, parameter } = call;
  if ((call.open === undefined) !== (body === "call")) {
    return 'needs a call opener, or the body "call", and not both';
  }
  if (body === undefined && parameter === undefined) {
    return "has neither parameters nor a body";
  }
  if (
    parameter !== undefined &&
    (call.close === undefined || body !== undefined && body !== "json")
  ) return "has parameters, so it needs a call closer, and no body but JSON";
  if (!all(call.open, NAMES)) return "has a call opener without name";
  if (parameter !== undefined && !all(parameter.open, KEYS)) {
    return "has a parameter opener without name";
  }
  const first = form.open ?? [...call.open ?? [], ...call.empty ?? []];
  if (
    form.position !== "message" &&
    (first.length === 0 ||
      first.flatMap((pattern) => openings(pattern, ["x"])).includes(""))
  ) return "has an opener that does not begin with literal text";
  if (!(form.orphans ?? []).every(isLiteral)) {
    return "has an orphan closer that is not literal text";
  }
  return undefined;
}

function isLiteral(pattern: Pattern): boolean {
  return expand(pattern).every((flat) =>
    flat.every((element) => typeof element === "string")
  );
}

/** Whether each of the patterns, with or without its options, has exactly one of these elements. */
function all(
  patterns: readonly Pattern[] | undefined,
  matches: readonly PatternElement["match"][],
): boolean {
  return (patterns ?? []).every((pattern) =>
    expand(pattern).every((flat) =>
      flat.filter((element) =>
        typeof element !== "string" && matches.includes(element.match)
      ).length === 1
    )
  );
}
