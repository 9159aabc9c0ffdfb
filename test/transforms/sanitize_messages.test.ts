import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sanitizeMessages } from "../../mod.ts";
import { RUNS } from "../laws.ts";

const HALF = "\ud83d";
const GONE = "\ufffd";

describe("sanitizeMessages", () => {
  test("Anthropic: every string, ids the same way on both sides", () => {
    const messages = (half: string) => [
      { role: "user", content: `a${half}` },
      {
        role: "assistant",
        content: [
          { type: "text", text: half },
          { type: "thinking", thinking: half, signature: "s" },
          {
            type: "tool_use",
            id: `id${half}`,
            name: `n${half}`,
            input: { [`k${half}`]: [`v${half}`, { deep: half }], ok: 1 },
          },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: `id${half}`, content: half },
          {
            type: "tool_result",
            tool_use_id: "x",
            content: [{ type: "text", text: half }],
          },
        ],
      },
    ];
    expect(sanitizeMessages(messages(HALF))).toEqual(messages(GONE));
    expect(sanitizeMessages({ system: HALF, messages: messages(HALF) }))
      .toEqual({ system: GONE, messages: messages(GONE) });
  });

  test("OpenAI: also halves that are escaped in the arguments", () => {
    const call = (text: string) => [{
      role: "assistant",
      content: null,
      tool_calls: [{
        id: "1",
        type: "function",
        function: { name: "f", arguments: text },
      }],
    }, { role: "tool", tool_call_id: "1", content: "ok" }];
    expect(sanitizeMessages(call('{"a":"\\ud83d"}')))
      .toEqual(call('{"a":"\\ufffd"}'));
    for (
      const fine of [
        '{"a":"\\ud83d\\ude80"}',
        '{"a":"\\\\ud83d"}',
        '{"a":"\\n"}',
      ]
    ) {
      const messages = call(fine);
      expect(sanitizeMessages(messages)).toBe(messages);
    }
    expect(sanitizeMessages(call('"\\ude80\\ud83d\\ude80\\ud83d\\\\"')))
      .toEqual(call('"\\ufffd\\ud83d\\ude80\\ufffd\\\\"'));
  });

  test("vscode: parts stay instances of their classes", () => {
    class TextPart {
      value: string;
      constructor(value: string) {
        this.value = value;
      }
    }
    class Message {
      role = 1;
      private _content: unknown[];
      constructor(content: unknown[]) {
        this._content = content;
      }
      get content(): unknown[] {
        return this._content;
      }
    }
    class DataPart {
      data = new Uint8Array([1]);
      mimeType = "image/png";
    }
    const data = new DataPart();
    const message = new Message([new TextPart(HALF), data]);
    const result = sanitizeMessages(message);
    expect(result).toBeInstanceOf(Message);
    expect(result.content[0]).toBeInstanceOf(TextPart);
    expect((result.content[0] as TextPart).value).toBe(GONE);
    expect(result.content[1]).toBe(data);
    expect((message.content[0] as TextPart).value).toBe(HALF);
  });

  test("what is well-formed comes back as the same object, shared inside", () => {
    const message = { role: "user", content: [{ type: "text", text: "x" }] };
    const other = { role: "user", content: HALF };
    const messages = [message, other];
    const result = sanitizeMessages(messages);
    expect(result).not.toBe(messages);
    expect(result[0]).toBe(message);
    expect(sanitizeMessages(result)).toBe(result);
  });

  test("frozen objects, circles, dates and maps", () => {
    const frozen = Object.freeze({ a: Object.freeze([HALF]), b: "x" });
    expect(sanitizeMessages(frozen)).toEqual({ a: [GONE], b: "x" });
    const circle: { self?: unknown; text: string } = { text: "x" };
    circle.self = circle;
    expect(sanitizeMessages(circle)).toBe(circle);
    const map = new Map([[HALF, HALF]]);
    const date = new Date(0);
    const given = { map, date, none: null, nothing: undefined };
    expect(sanitizeMessages(given)).toBe(given);
    // They are not made of properties: a copy of these would be another thing.
    for (
      const thing of [
        date,
        map,
        new Uint8Array(2),
        new DataView(new ArrayBuffer(1)),
        /x/,
        new Error("x"),
      ]
    ) {
      const one = Object.assign(thing, { note: HALF });
      expect(sanitizeMessages(one)).toBe(one);
      expect(sanitizeMessages([one])[0]).toBe(one);
      expect(one.note).toBe(HALF);
    }
  });

  test("nested as deep as it likes", () => {
    const half = "\ud83d";
    let given: unknown = half;
    for (let depth = 0; depth < 100_000; depth++) {
      given = depth % 2 === 0 ? [given] : { a: given };
    }
    let result: unknown = sanitizeMessages(given);
    while (typeof result === "object" && result !== null) {
      result = Array.isArray(result) ? result[0] : (result as { a: unknown }).a;
    }
    expect(result).toBe("\ufffd");
    // An object in two places is one object in the result too.
    const shared = { text: half };
    const twice = sanitizeMessages([shared, { in: shared }]);
    expect(twice).toEqual([{ text: "\ufffd" }, { in: { text: "\ufffd" } }]);
    expect((twice[1] as { in: object }).in).toBe(twice[0]);
  });

  test("keys keep their order, and __proto__ stays a key", () => {
    const given = JSON.parse(
      `{"a":1,"b\\ud83d":2,"__proto__":{"x":"\\ud83d"},"c":3}`,
    );
    const result = sanitizeMessages(given);
    expect(Object.keys(result)).toEqual(["a", `b${GONE}`, "__proto__", "c"]);
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    expect(JSON.stringify(result)).toBe(
      JSON.stringify(JSON.parse(
        `{"a":1,"b\\ufffd":2,"__proto__":{"x":"\\ufffd"},"c":3}`,
      )),
    );
    const only = JSON.parse(`{"__proto__":{"x":"\\ud83d"}}`);
    expect(JSON.stringify(sanitizeMessages(only)))
      .toBe(`{"__proto__":{"x":"\ufffd"}}`);
  });

  test("the JSON of any message is well-formed, and identity tells a change", () => {
    const text = fc.array(fc.constantFrom("a", HALF, "\ude80", "é"), {
      maxLength: 4,
    }).map((all) => all.join(""));
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        text,
        fc.integer(),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(text, tie("value"), { maxKeys: 3 }),
      ),
    }));
    fc.assert(
      fc.property(value, (given) => {
        const before = JSON.stringify(given);
        const result = sanitizeMessages(given);
        expect(JSON.stringify(result)).not.toMatch(/\\ud[89a-f]/);
        expect(JSON.stringify(given)).toBe(before);
        expect(result === given).toBe(!/\\ud[89a-f]/.test(before));
        expect(sanitizeMessages(result)).toBe(result);
      }),
      { numRuns: RUNS },
    );
  });
});
