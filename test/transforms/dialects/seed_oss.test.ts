import { describe, test } from "vitest";
import { checkMarkup } from "../salvage_support.ts";

describe("seed-oss", () => {
  test("what holds for every markup", () => {
    checkMarkup({
      dialect: "seed-oss",
      call:
        "<seed:tool_call>\n<function=read>\n<parameter=path>a b</parameter>\n</function>\n</seed:tool_call>",
      empty: "<seed:tool_call><function=now></function></seed:tool_call>",
    });
  });
});
