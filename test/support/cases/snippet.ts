import { SnippetExtractorStream } from "../../../mod.ts";
import type { AreaRunner } from "./area_runner.ts";
import { difference, equal, runTextCase } from "./text_case.ts";

export const run: AreaRunner = (line) =>
  runTextCase(
    line,
    () => new SnippetExtractorStream({ guess: line.options["guess"] === true }),
    (parts, text) => {
      const got = parts.filter((part) => part.type === "snippet").map((
        { language, content, filePath, lineRange },
      ) => ({ language, content, filePath, lineRange }));
      const flowed = parts.map((part) => part.type === "text" ? part.text : "")
        .join("");
      if (flowed !== text) return difference("text", flowed, text);
      const expected = line.expect["snippets"];
      return equal(got, expected)
        ? undefined
        : difference("snippets", got, expected);
    },
  );
