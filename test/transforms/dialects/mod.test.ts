import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { dialects } from "../../../transforms/dialects/mod.ts";
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
