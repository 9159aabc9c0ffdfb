import { describe, expect, test } from "vitest";
import { JSONScanner } from "../../../transforms/internal/json_scanner.ts";
import { NameFinder } from "../../../transforms/internal/name_finder.ts";

/** The name that is found, and after how many code units. */
function find(text: string): [string | undefined, number] {
  const scanner = new JSONScanner();
  let finder = new NameFinder();
  for (let at = 0; at < text.length; at++) {
    const wasInString = scanner.inString;
    const { depth } = scanner;
    scanner.push(text[at]!, 0);
    finder.push(text[at]!, wasInString, scanner.inString, depth);
    finder = new NameFinder(JSON.parse(JSON.stringify(finder.snapshot())));
    if (finder.over) return [finder.name, at + 1];
  }
  return [undefined, text.length];
}

describe("NameFinder", () => {
  test("finds the name as soon as it is there", () => {
    expect(find('{"name":"read","x":1}')).toEqual(["read", 14]);
    expect(find('{ "tool_name" : "read" }')[0]).toBe("read");
    expect(find("{'name':'read'}")[0]).toBe("read");
    expect(find('{"a":{"name":"x"},"b":["name","y"],"name":"read"}')[0]).toBe(
      "read",
    );
    expect(find('{"x":"name","name":"read"}')[0]).toBe("read");
  });

  test("leaves to the whole object what it cannot know", () => {
    for (
      const text of [
        '{"nom":"read"}',
        '{"name":1}',
        '{"name":["read"]}',
        '{"name":{"name":"read"}}',
        '{"na\\u006de":"read"}',
        `{"a":"${"x".repeat(5000)}","name":"read"}`,
      ]
    ) expect(find(text)[0], text).toBe(undefined);
  });
});
