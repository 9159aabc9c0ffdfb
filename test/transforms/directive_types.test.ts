import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  DirectiveExtractorStream,
  type DirectiveExtractorStreamOptions,
  type DirectiveOutput,
  FenceTrackerStream,
  type JSONSchemaValue,
  parse,
  type Part,
  pipeline,
  readParts,
  type SchemaValue,
  type StageStream,
} from "../../mod.ts";

/** Holds only when both types are the same. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends
  (<T>() => T extends B ? 1 : 2) ? true : false;

/** Compiles only for `true`. */
function holds<Claim extends true>(claim: Claim): void {
  expect(claim).toBe(true);
}

const options = {
  directives: {
    log_message: {
      fields: ["message", "level"],
      schema: {
        type: "object",
        properties: {
          message: { type: "string" },
          level: { enum: ["info", "warn"] },
          count: { type: "integer" },
          tags: { type: "array", items: { type: "string" } },
        },
        required: ["message", "level"],
      },
    },
    point: {
      fields: ["x", "y"],
      schema: z.object({ x: z.coerce.number(), y: z.coerce.number() }),
    },
    note: {},
  },
} as const satisfies DirectiveExtractorStreamOptions;

const text = "<log_message><message>Hi</message><level>warn</level>" +
  "</log_message><point><x>1</x><y>2</y></point><note>n</note>";

describe("parts typed by the declaration", () => {
  test("value and fields follow from the name: a JSON Schema, zod, none", () => {
    const seen: string[] = [];
    for (const part of parse(text, new DirectiveExtractorStream(options))) {
      if (part.type !== "directive") continue;
      switch (part.name) {
        case "log_message": {
          holds<
            Same<
              typeof part.value,
              | (
                & { message: string; level: "info" | "warn" }
                & { count?: number; tags?: string[] }
              )
              | undefined
            >
          >(true);
          holds<
            Same<
              typeof part.fields,
              { message?: string; level?: string } | undefined
            >
          >(true);
          const value = part.value!;
          const level: "info" | "warn" = value.level;
          // @ts-expect-error: there is no such property
          expect(value.nothing).toBe(undefined);
          seen.push(`${value.message} ${level} ${part.fields?.level}`);
          break;
        }
        case "point":
          holds<
            Same<typeof part.value, { x: number; y: number } | undefined>
          >(true);
          seen.push(String(part.value!.x + part.value!.y));
          break;
        case "note":
          holds<Same<typeof part.value, unknown>>(true);
          seen.push(part.content);
          break;
        default:
          // Nothing is left.
          part satisfies never;
      }
    }
    expect(seen).toEqual(["Hi warn warn", "3", "n"]);
  });

  test("inline options are taken literally, in a pipeline too", async () => {
    const names: string[] = [];
    const parts = readParts(
      [text],
      new FenceTrackerStream(),
      new DirectiveExtractorStream({ directives: ["note", "point"] }),
    );
    for await (const part of parts) {
      if (part.type !== "directive") continue;
      holds<Same<typeof part.name, "note" | "point">>(true);
      names.push(part.name);
    }
    expect(names).toEqual(["point", "note"]);
  });

  test("names of reasoning, added", () => {
    type Output = DirectiveOutput<{ reasoning: readonly ["ponder"] }>;
    type Final = Extract<Output, { type: "directive" }>;
    holds<Same<Final["name"], "ponder">>(true);
    type Usual = Extract<
      DirectiveOutput<{ directives: readonly ["a"]; reasoning: true }>,
      { type: "directive" }
    >["name"];
    holds<"a" extends Usual ? true : false>(true);
    holds<"think" extends Usual ? true : false>(true);
    holds<"b" extends Usual ? false : true>(true);
  });

  test("the typed parts are parts", () => {
    const stream: StageStream<string | Part, Part> =
      new DirectiveExtractorStream(options);
    const wide: DirectiveExtractorStreamOptions = options;
    const other: StageStream<string | Part, Part> =
      new DirectiveExtractorStream(wide);
    const both: TransformStream<string | Part, Part> = pipeline(
      stream,
      new DirectiveExtractorStream({ directives: ["a"] }),
    );
    expect([other, both].length).toBe(2);
  });

  test("values of schemas", () => {
    holds<Same<JSONSchemaValue<true>, unknown>>(true);
    holds<Same<JSONSchemaValue<false>, never>>(true);
    holds<Same<JSONSchemaValue<{ const: 5 }>, 5>>(true);
    holds<
      Same<
        JSONSchemaValue<{ readonly type: readonly ["string", "null"] }>,
        string | null
      >
    >(true);
    holds<
      Same<
        JSONSchemaValue<
          { anyOf: readonly [{ type: "number" }, { type: "boolean" }] }
        >,
        number | boolean
      >
    >(true);
    holds<
      Same<JSONSchemaValue<{ type: "object" }>, Record<string, unknown>>
    >(true);
    holds<Same<JSONSchemaValue<{ type: "array" }>, unknown[]>>(true);
    const schema = z.string().transform((value) => value.length);
    holds<Same<SchemaValue<typeof schema>, number>>(true);
  });

  test("wrong declarations do not compile", () => {
    const wrong = () => [
      // @ts-expect-error: nesting is one of two
      new DirectiveExtractorStream({ directives: { a: { nesting: "deep" } } }),
      // @ts-expect-error: there is no such dialect
      new DirectiveExtractorStream({ directives: ["a"], dialect: "yaml" }),
    ];
    expect(wrong).toThrow(TypeError);
  });
});
