import { describe, expect, test } from "vitest";
import { anthropic } from "../../../transforms/dialects/anthropic.ts";
import { hermes } from "../../../transforms/dialects/hermes.ts";
import { CompiledForm } from "../../../transforms/internal/compiled_form.ts";
import { RefusedCalls } from "../../../transforms/internal/refused_calls.ts";

const forms = [anthropic, hermes].map((dialect) =>
  new CompiledForm(dialect.name, dialect.forms[0]!)
);

/** Follows a text, one code unit at a time; gives where values were. */
function follow(form: number, text: string): string {
  let refused = new RefusedCalls(forms);
  refused.add(form);
  let inside = "";
  for (let at = 0; at < text.length; at++) {
    if (refused.inValue) inside += text[at];
    refused.read(text, at, at + 1);
    refused = new RefusedCalls(
      forms,
      JSON.parse(JSON.stringify(refused.snapshot())),
    );
  }
  return inside;
}

describe("RefusedCalls", () => {
  test("tell where values are", () => {
    const text = '<function_calls><invoke name="x"><parameter name="a">b <c>' +
      "</parameter></invoke></function_calls> d";
    expect(follow(0, text)).toBe("b <c></parameter></invoke>");
    expect(follow(1, '<tool_call>{"a": "b"}</tool_call>')).toBe('"a": "b"}');
  });

  test("go on through what is broken", () => {
    const text = '<function_calls><invoke name="x"> y <parameter name="a">b' +
      "</parameter></invoke></function_calls>";
    expect(follow(0, text)).toBe("b</parameter></invoke>");
    expect(follow(1, '<tool_call>{"a" "b"}</tool_call>c')).toBe(
      '"a" "b"}</tool_call>',
    );
    // An opener that somebody mentions is none.
    expect(follow(0, "<function_calls> is a tag")).toBe("");
    expect(follow(1, "<tool_call>{ is a marker")).toBe(" is a");
  });

  test("know where a call of a wrapper may begin, and forget what is over", () => {
    const refused = new RefusedCalls(forms);
    refused.add(0, { mixed: true });
    expect([refused.some, refused.someMixed]).toEqual([true, true]);
    const text = "<function_calls>\n</function_calls>";
    refused.read(text, 0, 17);
    expect(refused.formsThatBegin(0x3c)).toEqual([0]);
    expect(refused.formsThatBegin(0x61)).toEqual([]);
    refused.passCall(0);
    refused.read(text, 17, text.length);
    expect([refused.some, refused.someMixed]).toEqual([false, false]);
    refused.add(1, { inTicks: true });
    expect(refused.someInTicks).toBe(true);
    refused.leaveTicks();
    expect(refused.some).toBe(false);
  });
});
