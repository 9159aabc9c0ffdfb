/** One line of a case file; see test/cases/README.md. */
export type CaseLine = {
  id: string;
  area: string;
  input: unknown;
  options: Record<string, unknown>;
  expect: Record<string, unknown>;
  doubt?: true;
  level?: string;
};

/** Runs one case in all its cuttings. */
export type AreaRunner = (
  line: CaseLine,
) => CaseOutcome | Promise<CaseOutcome>;

/** How a case went. */
export type CaseOutcome =
  | { status: "passed" }
  | { status: "failed"; why: string }
  | { status: "skipped"; why: string };
