import { expect, test } from "vitest";
import * as sessions from "../../../adapters/sessions/mod.ts";

test("one import brings every importer", () => {
  expect(Object.keys(sessions)).toEqual(
    expect.arrayContaining([
      "SessionStream",
      "cursorSession",
      "openSqliteFile",
    ]),
  );
  for (const [name, value] of Object.entries(sessions)) {
    expect(`${name} ${typeof value}`).toBe(`${name} function`);
  }
});
