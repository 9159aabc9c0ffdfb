import { describe, expect, test } from "vitest";
import type { Dialect } from "../../../mod.ts";
import { dialects } from "../../../transforms/dialects/mod.ts";
import { checkDialect } from "../../../transforms/internal/check_dialect.ts";

/** What is wrong with a dialect. */
function fault(dialect: unknown): string | undefined {
  try {
    checkDialect(dialect as Dialect);
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError);
    return (error as Error).message;
  }
}

/** What is wrong with a form, after a sound one. */
function faultOf(form: unknown): string | undefined {
  const sound = { open: ["<a>"], call: { body: "call" } };
  const message = fault({ name: "mine", forms: [sound, form] });
  const prefix = /^.*\bmine\b.*?(?:form 1|second form|form 2)[^a-z]*/i;
  return message?.replace(prefix, "");
}

const name = { match: "name" };
const key = { match: "key" };

describe("checkDialect", () => {
  test("all dialects of our own are sound", () => {
    for (const dialect of dialects) expect(fault(dialect)).toBeUndefined();
  });

  test("what is no dialect at all", () => {
    for (
      const dialect of [
        null,
        undefined,
        "hermes",
        {},
        { name: "a" },
        { name: 1, forms: [{ open: ["<a>"], call: { body: "call" } }] },
        { name: "", forms: [] },
        { forms: [{ open: ["<a>"], call: { body: "call" } }] },
      ]
    ) {
      expect([dialect, typeof fault(dialect)]).toEqual([dialect, "string"]);
    }
  });

  test("forms that lack something, each with what", () => {
    const open = [["<f ", name, ">"]];
    const close = ["</f>"];
    const parameter = { open: [["<p ", key, ">"]], close: ["</p>"] };
    for (
      const [form, message] of [
        [{}, "has no call"],
        [{ call: null }, "has no call"],
        [{ call: "text" }, "has no call"],
        [{ call: {} }, "needs a call opener"],
        [{ call: { open, body: "call" } }, "needs a call opener"],
        [{ call: { open } }, "has neither parameters nor a body"],
        [
          { call: { open, parameter } },
          "has parameters, so it needs a call closer",
        ],
        [
          { call: { open, close, parameter, body: "python" } },
          "has parameters, so it needs a call closer",
        ],
        [
          { call: { open: ["<f>"], body: "json" } },
          "has a call opener without name",
        ],
        [
          { call: { open: [["<f ", name, name, ">"]], body: "json" } },
          "has a call opener without name",
        ],
        [
          { call: { open: [...open, "<f>"], body: "json" } },
          "has a call opener without name",
        ],
        [
          {
            call: {
              open,
              close,
              parameter: { open: ["<p>"], close: ["</p>"] },
            },
          },
          "has a parameter opener without name",
        ],
        [{ call: { body: "call" } }, "does not begin with literal text"],
        [
          { call: { open: [[name, "("]], body: "json" } },
          "does not begin with literal text",
        ],
        [
          { open: [[{ match: "space" }, "<a>"]], call: { body: "call" } },
          "does not begin with literal text",
        ],
        [
          { open: [], call: { body: "call" } },
          "does not begin with literal text",
        ],
        [
          {
            call: { open, body: "json" },
            orphans: [["</a", { match: "space" }, ">"]],
          },
          "has an orphan closer that is not literal text",
        ],
        // Sound ones.
        [
          {
            call: { open, body: "json" },
            orphans: ["</a>", [{ either: ["<", "["] }, "/b>"]],
          },
          undefined,
        ],
        [{ call: { open, body: "json" } }, undefined],
        [{ call: { open, close, parameter } }, undefined],
        [{ call: { open, close, parameter, body: "json" } }, undefined],
        [{ position: "message", call: { body: "call" } }, undefined],
      ] as const
    ) {
      const got = faultOf(form);
      if (message === undefined) expect([form, got]).toEqual([form, undefined]);
      else expect([form, got?.includes(message)]).toEqual([form, true]);
    }
  });
});
