/**
 * Properties are tried with the same random inputs at every run, so that a
 * test fails for a change and not for the day. `FAST_CHECK_SEED=random`, or a
 * number, tries others; `npm run fuzz` looks for new ones for as long as asked.
 */
import fc from "fast-check";
import process from "node:process";

const asked = process.env["FAST_CHECK_SEED"];
if (asked !== "random") {
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(asked ?? 1) });
}
