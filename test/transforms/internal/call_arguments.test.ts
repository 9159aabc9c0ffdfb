import { describe, expect, test } from "vitest";
import type { Dialect } from "../../../mod.ts";
import { clineXml } from "../../../transforms/dialects/cline_xml.ts";
import { hermes } from "../../../transforms/dialects/hermes.ts";
import { readArguments } from "../../../transforms/internal/call_arguments.ts";
import { CompiledForm } from "../../../transforms/internal/compiled_form.ts";
import { FormReader } from "../../../transforms/internal/form_reader.ts";
import { OfferedTools } from "../../../transforms/internal/offered_tools.ts";

const tools = new OfferedTools(
  new Map([["read", {
    type: "object",
    properties: { path: { type: "string" }, line: { type: "integer" } },
    required: ["path"],
  }], ["any", undefined]]),
);

/** What becomes of the first call in a text. */
function read(dialect: Dialect, text: string) {
  const form = new CompiledForm(dialect.name, dialect.forms[0]!);
  const reader = new FormReader(form, { names: tools });
  for (let at = 0; reader.event !== "call";) {
    at = reader.read(text, at, text.length);
    if (reader.dead || at === text.length && reader.event === "none") {
      return reader.event;
    }
  }
  const call = reader.call!;
  return readArguments(form, call, text.slice(call.start, call.end), tools);
}

const json = (object: string) =>
  read(hermes, `<tool_call>${object}</tool_call>`);

describe("readArguments", () => {
  test("a JSON call", () => {
    expect(json('{"name":"read","arguments":{"path":"a","line":"7"}}')).toEqual(
      {
        ok: true,
        name: "read",
        input: { path: "a", line: 7 },
        repairs: ["converted-string"],
        missing: [],
      },
    );
    expect(json('{"name":"read"}')).toMatchObject({
      ok: true,
      input: {},
      missing: ["path"],
    });
  });

  test("why not", () => {
    for (
      const [object, code] of [
        ['{"nom":"read"}', "malformed"],
        ['{"name":"read","tool_name":"read"}', "malformed"],
        ['{"name":"read","arguments":[]}', "malformed"],
        ['{"name":"read","arguments":null}', "malformed"],
        ['{"name":"read","arguments":"a"}', "malformed"],
        ['{"name":"read","arguments":{},"parameters":{}}', "malformed"],
        ['{"name":"read","path":"a"}', "malformed"],
        ['{"name":"read","arguments":{},"path":"a"}', "malformed"],
        ['{"arguments":{},"na\\u006de":"gone"}', "unknown-tool"],
        ['{"name":"read","arguments":{"line":"x"}}', "schema"],
      ] as const
    ) {
      expect(json(object), object).toMatchObject({ ok: false, code });
    }
    // A tool without a schema knows no parameters that could be misplaced.
    expect(json('{"name":"any","arguments":{},"note":"a"}')).toMatchObject({
      ok: true,
    });
  });

  test("framing of parameters", () => {
    for (
      const [value, path] of [
        ["a", "a"],
        ["\na\n", "a"],
        ["\r\na\r\n", "a"],
        ["\n\na\n\n", "\na\n"],
        [" a ", " a "],
      ] as const
    ) {
      expect(read(clineXml, `<read><path>${value}</path></read>`))
        .toMatchObject({ ok: true, input: { path } });
    }
  });
});
