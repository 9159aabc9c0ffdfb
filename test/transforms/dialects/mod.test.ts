import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { dialects } from "../../../transforms/dialects/mod.ts";
import { checkDialect } from "../../../transforms/internal/check_dialect.ts";
import { CompiledForm } from "../../../transforms/internal/compiled_form.ts";
import { root } from "../../support/public_files.ts";

test("every file is in the list, by a name of its own", () => {
  const files = readdirSync(join(root, "transforms/dialects")).filter((name) =>
    name !== "mod.ts"
  );
  expect(new Set(dialects.map(({ name }) => name)).size).toBe(dialects.length);
  expect(dialects.length).toBe(files.length);
});

test("every dialect has forms, and is plain data", () => {
  for (const dialect of dialects) {
    expect(dialect.forms.length, dialect.name).toBeGreaterThan(0);
    expect(JSON.parse(JSON.stringify(dialect)), dialect.name).toEqual(dialect);
  }
});

// They are not checked, and hardly compiled, when a stream is made.
test("every dialect is sound", () => {
  for (const dialect of dialects) {
    checkDialect(dialect);
    for (const form of dialect.forms) {
      const compiled = new CompiledForm(dialect.name, form);
      expect(compiled.program.beginsWith(0)).toBe(0);
      if (form.position !== "message") {
        expect(compiled.openings(["x"]).length).toBeGreaterThan(0);
      }
    }
  }
});
