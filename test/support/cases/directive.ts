import { DirectiveExtractorStream, type Part } from "../../../mod.ts";
import type { AreaRunner } from "./area_runner.ts";
import { difference, equal, runTextCase } from "./text_case.ts";

/** Texts merged whatever their marks, directives as `tag` entries. */
function entriesOf(parts: Iterable<Part>): Record<string, unknown>[] {
  const entries: Record<string, unknown>[] = [];
  for (const part of parts) {
    const last = entries.at(-1);
    if (part.type === "text") {
      if (last?.["type"] === "text") last["content"] += part.text;
      else entries.push({ type: "text", content: part.text });
    } else if (part.type === "directive") {
      entries.push({
        type: "tag",
        name: part.name,
        ...(Object.keys(part.attributes).length === 0
          ? {}
          : { attributes: part.attributes }),
        content: part.content,
        partial: !part.complete,
      });
    }
  }
  return entries;
}

export const run: AreaRunner = (line) => {
  const { directives, nesting, ...rest } = line.options;
  const names = directives as string[];
  return runTextCase(
    line,
    () =>
      new DirectiveExtractorStream(
        {
          ...rest,
          directives: nesting === undefined
            ? names
            : Object.fromEntries(names.map((name) => [name, { nesting }])),
        } as ConstructorParameters<typeof DirectiveExtractorStream>[0],
      ),
    (parts) => {
      const got = entriesOf(parts);
      const expected = line.expect["parts"];
      return equal(got, expected)
        ? undefined
        : difference("parts", got, expected);
    },
  );
};
