import {
  type Part,
  ToolCallSalvagerStream,
  type ToolCallSalvagerStreamOptions,
} from "../../../mod.ts";
import { textOf } from "../../laws.ts";
import type { AreaRunner } from "./area_runner.ts";
import { difference, equal, runTextCase, sameText } from "./text_case.ts";

/** Why parts are not what a salvage case expects of a text, or `undefined`. */
export function checkSalvage(
  parts: Part[],
  text: string,
  expected: Record<string, unknown>,
): string | undefined {
  const calls = parts.filter((part) => part.type === "tool-call").map((
    part,
  ) => ({
    name: part.toolName,
    input: part.input,
  }));
  if (expected["calls"] !== undefined && !equal(calls, expected["calls"])) {
    return difference("calls", calls, expected["calls"]);
  }
  const left = textOf(parts);
  const how = expected["textCompare"];
  const wanted = expected["textEqualsInput"] === true
    ? text
    : expected["text"] as string | undefined;
  if (wanted !== undefined && !sameText(left, wanted, how)) {
    return difference("text", left, wanted);
  }
  const any = expected["textAny"] as string[] | undefined;
  if (any !== undefined && !any.some((one) => sameText(left, one, how))) {
    return difference("text, one of", left, any);
  }
  for (const piece of (expected["textContains"] ?? []) as string[]) {
    if (!left.includes(piece)) return difference("text contains", left, piece);
  }
  for (const piece of (expected["textLacks"] ?? []) as string[]) {
    if (left.includes(piece)) return difference("text lacks", left, piece);
  }
  if (
    expected["incomplete"] === true &&
    !parts.some((part) => part.type === "warning" && part.code === "truncated")
  ) return "no warning with code truncated";
  const alternatives = expected["anyOf"] as
    | Record<string, unknown>[]
    | undefined;
  if (alternatives !== undefined) {
    const whys = alternatives.map((one) => checkSalvage(parts, text, one));
    if (whys.every((why) => why !== undefined)) return whys.join(" | ");
  }
  return undefined;
}

export const run: AreaRunner = (line) => {
  if ("recoverInFences" in line.options) {
    return { status: "skipped", why: "recoverInFences does not exist" };
  }
  return runTextCase(
    line,
    () =>
      new ToolCallSalvagerStream(
        line.options as unknown as ToolCallSalvagerStreamOptions,
      ),
    (parts, text) => checkSalvage(parts, text, line.expect),
  );
};
