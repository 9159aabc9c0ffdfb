import { describe, expect, test } from "vitest";
import { checkMarkup, salvage } from "../salvage_support.ts";

describe("gemma-tool-code", () => {
  test("what holds for every markup", () => {
    checkMarkup({
      dialect: "gemma-tool-code",
      call: '```tool_code\nread(path="a b")\n```',
      empty: "```tool_code\nnow()\n```",
      named: true,
      bare: true,
      fenced: true,
    });
  });

  test("several lines; in another fence it is an example", () => {
    const named = { dialects: ["gemma-tool-code"] };
    const text = "```tool_code\nnow()\nnow()\n```";
    expect(salvage(text, named).calls).toHaveLength(2);
    const quoted = "````\n" + text + "\n````";
    expect(salvage(quoted, named)).toMatchObject({ calls: [], text: quoted });
    const unknown = "```tool_code\ngone()\n```";
    expect(salvage(unknown, named)).toMatchObject({
      text: unknown,
      codes: ["unknown-tool"],
    });
  });
});
