import { parse, SurrogateSanitizerStream } from "../../../mod.ts";
import { cuttings } from "../../laws.ts";
import type { AreaRunner } from "./area_runner.ts";
import { difference, textOfInput } from "./text_case.ts";

export const run: AreaRunner = (line) => {
  const { given, text } = textOfInput(line.input);
  const { replacement } = line.options;
  const make = () =>
    new SurrogateSanitizerStream(
      replacement === undefined ? {} : { replacement: replacement as string },
    );
  for (const chunks of [given, ...cuttings(text)]) {
    const output = parse(chunks, make()) as string[];
    const got = output.join("");
    if (got !== line.expect["text"]) {
      return {
        status: "failed",
        why: difference("text", got, line.expect["text"]),
      };
    }
    if (!output.every((chunk) => chunk.isWellFormed())) {
      return {
        status: "failed",
        why: `a chunk is not well-formed: ${JSON.stringify(output)}`,
      };
    }
    const firstEmit = line.expect["firstEmit"];
    const first = output.find((chunk) => chunk !== "");
    if (
      chunks === given && firstEmit !== undefined && first !== firstEmit
    ) {
      return {
        status: "failed",
        why: difference("first output", first, firstEmit),
      };
    }
  }
  return { status: "passed" };
};
