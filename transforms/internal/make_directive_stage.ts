import type { DirectiveExtractorStreamOptions } from "../directive_extractor.ts";
import { checkMode } from "./check_mode.ts";
import { DirectiveSet } from "./directive_set.ts";
import { DirectiveStage } from "./directive_stage.ts";
import { resumed } from "./snapshot.ts";

/**
 * Checks the options and makes the machine of a `DirectiveExtractorStream`.
 *
 * @param sameMarks Whether a tracker of the same mode, with no other options, is
 * right before it.
 */
export function makeDirectiveStage(
  options: DirectiveExtractorStreamOptions,
  sameMarks: boolean = false,
): DirectiveStage {
  const {
    directives = [],
    reasoning = false,
    dialect = "xml",
    startInside,
    onlyAtStart = false,
    unclosed = "directive",
    decodeEntities = false,
    caseInsensitive = false,
    partials = false,
    codeAware = true,
    trackFences,
    mode = "tolerant",
    maxTagLength = 4_096,
    maxHeldSpan = 4_096,
    maxDepth = 64,
    maxContentLength = 1_048_576,
    snapshot,
  } = options;
  if (dialect !== "xml" && dialect !== "container") {
    throw new TypeError(
      `Cannot extract directives: dialect "${dialect}" is neither "xml" nor "container"`,
    );
  }
  if (unclosed !== "directive" && unclosed !== "text") {
    throw new TypeError(
      `Cannot extract directives: unclosed "${unclosed}" is neither "directive" nor "text"`,
    );
  }
  checkMode(mode);
  const limits = { maxTagLength, maxHeldSpan, maxDepth, maxContentLength };
  for (const [name, limit] of Object.entries(limits)) {
    if (!(limit >= 1)) {
      throw new RangeError(
        `Cannot use ${name} "${limit}": it must be 1 or more`,
      );
    }
  }
  const containers = dialect === "container";
  const set = new DirectiveSet({
    directives,
    reasoning,
    containers,
    caseInsensitive,
  });
  if (startInside !== undefined && set.get(startInside) === undefined) {
    throw new TypeError(
      `Cannot start inside "${startInside}": it is not among the directives`,
    );
  }
  return resumed(snapshot, (snapshot) =>
    new DirectiveStage({
      set,
      containers,
      codeAware,
      mode,
      trackFences,
      sameMarks,
      decodeEntities,
      caseInsensitive,
      startInside,
      onlyAtStart,
      unclosedText: unclosed === "text",
      partials,
      ...limits,
    }, snapshot));
}
