import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  httpError,
  messageOfBody,
} from "../../../adapters/internal/error_body.ts";
import { RUNS } from "../../laws.ts";

describe("messageOfBody", () => {
  test("finds the words in the shapes of providers", () => {
    const bodies: [string, string][] = [
      ['{"error":{"message":"a","code":null}}', "a"],
      ['{"error":"b"}', "b"],
      ['{"message":"c"}', "c"],
      ['{"detail":"d"}', "d"],
      ['{"detail":[{"loc":["x"],"msg":"e"}]}', "e"],
      ['[{"error":{"message":"f"}}]', "f"],
      ['{"errors":[{"message":"g"}]}', "g"],
      ['{"error":"invalid_grant","error_description":"h"}', "invalid_grant"],
      ['"i"', "i"],
      ['\ufeff{"error":{"message":"j"}}\n', "j"],
      ['data: {"error":{"message":"k"}}\n\n', "k"],
      [
        "<html><TITLE lang=en> l </title></html>",
        'a web page titled "l"',
      ],
    ];
    for (const [body, message] of bodies) {
      expect(messageOfBody(body)).toEqual({ message, spoken: true });
    }
  });

  test("shows the beginning of anything else, never half a pair", () => {
    expect(messageOfBody(" no \n")).toEqual({ message: "no", spoken: false });
    expect(messageOfBody('{"a":{}}')).toEqual({
      message: '{"a":{}}',
      spoken: false,
    });
    expect(messageOfBody(`${"x".repeat(199)}😀`).message).toBe("x".repeat(199));
    expect(messageOfBody('{"error":{"message":""}}').spoken).toBe(false);
    expect(messageOfBody("<title></title>").spoken).toBe(false);
    expect(messageOfBody("<title").spoken).toBe(false);
  });

  test("is not deceived by depth, prototypes or anything else", () => {
    expect(messageOfBody('{"__proto__":{"message":"no"}}').spoken).toBe(false);
    const deep = `${'{"error":'.repeat(50)}"no"${"}".repeat(50)}`;
    expect(messageOfBody(deep).spoken).toBe(false);
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (body) => {
        messageOfBody(body);
      }),
      { numRuns: RUNS },
    );
  });
});

describe("httpError", () => {
  test("has the status in its code and its message", () => {
    const error = httpError(418, "", "");
    expect(error.code).toBe("http-418");
    expect(error.message).toBe("The server answered 418");
  });
});
