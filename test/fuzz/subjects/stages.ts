import {
  type Dialect,
  DirectiveExtractorStream,
  type DirectiveExtractorStreamOptions,
  FenceTrackerStream,
  type FenceTrackerStreamOptions,
  type Part,
  pipeline,
  sanitizeSurrogates,
  SnippetExtractorStream,
  type SnippetExtractorStreamOptions,
  SurrogateSanitizerStream,
  ToolCallSalvagerStream,
  type ToolCallSalvagerStreamOptions,
} from "../../../mod.ts";
import { dialects } from "../../../transforms/dialects/mod.ts";
import { type MakeStream, run } from "../../laws.ts";
import {
  type ReferenceBlock,
  referenceBlocks,
  sameBlocks,
} from "../../support/commonmark_reference.ts";
import { TOOLS } from "../../transforms/salvage_alphabet.ts";
import { expectSame, expectThat, type Subject } from "../subject.ts";
import {
  checkTextCase,
  randomTextCase,
  smallerTextCases,
  type TextCase,
  textCaseSize,
  textSubject,
} from "./text_stage.ts";

function sanitizer(): Subject<TextCase> {
  return textSubject(
    "sanitizer/default",
    (snapshot) =>
      new SurrogateSanitizerStream({ snapshot }) as unknown as ReturnType<
        MakeStream
      >,
    "all",
    {
      expected: sanitizeSurrogates,
      mostHeld: 1,
      also: (_text, parts) =>
        expectThat(
          parts.every((part) =>
            part.type !== "text" || part.text.isWellFormed()
          ),
          "Every chunk is well-formed",
        ),
    },
  );
}

/** Fence variants: all obey the laws. */
const FENCES: Readonly<Record<string, FenceTrackerStreamOptions>> = {
  tolerant: {},
  commonmark: { mode: "commonmark" },
  loose: { mode: "loose" },
  nested: { nested: true },
  glued: { glued: true },
  "glued-nested": { glued: true, nested: true },
  inline: { inline: "hold" },
  "inline-commonmark": { inline: "hold", mode: "commonmark" },
  "inline-loose": { inline: "hold", mode: "loose" },
  "small-limits": { maxInfoLength: 12, maxDepth: 2 },
  "small-limits-inline": {
    maxInfoLength: 12,
    maxDepth: 2,
    maxSpanLength: 16,
    inline: "hold",
  },
};

function fences(): Subject<TextCase>[] {
  return Object.entries(FENCES).map(([variant, options]) =>
    textSubject(
      `fence/${variant}`,
      (snapshot) => new FenceTrackerStream({ ...options, snapshot }),
      "markdown",
      {
        also: checkFences,
        // A fence line and a span, each with what shows that it is too long.
        ...(variant === "small-limits-inline" ? { mostHeld: 12 + 16 + 2 } : {}),
      },
    )
  );
}

/** Fences start and end in turn, and what is marked as content lies in one. */
function checkFences(_text: string, parts: readonly Part[]): void {
  let open: string | undefined;
  let at = 0;
  for (const part of parts) {
    if (part.type === "fence-start") {
      expectThat(open === undefined, "A fence starts inside another");
      open = part.fence.id;
    } else if (part.type === "fence-end") {
      expectThat(open === part.fence.id, "A fence ends that is not open");
      expectThat(part.end === at, `A fence ends at ${part.end}, not at ${at}`);
      open = undefined;
    } else if (part.type === "text") {
      at = part.start + part.text.length;
      expectThat(
        part.code !== "fence" || open !== undefined,
        "Text outside of a fence is marked as content",
      );
      expectThat(
        part.code !== undefined || open === undefined,
        "Text inside a fence is not marked",
      );
      expectThat(part.text !== "", "A text part is empty");
    }
  }
  expectThat(open === undefined, "A fence never ends");
}

const NAMES = ["log", "note", "think"];
const LEVELS = {
  log: {
    fields: ["level", "message"],
    schema: {
      type: "object",
      properties: {
        level: { enum: ["warn", "info"] },
        message: { type: "string" },
      },
    },
  },
  note: {},
} as const;

/** Directive variants. */
const DIRECTIVES: Readonly<Record<string, DirectiveExtractorStreamOptions>> = {
  names: { directives: NAMES },
  reasoning: { directives: ["log"], reasoning: true },
  "as-reasoning": { directives: { log: { as: "reasoning" }, note: {} } },
  fields: { directives: LEVELS, partials: true },
  flat: { directives: { log: { nesting: "flat" }, note: { raw: true } } },
  unclosed: { directives: NAMES, unclosed: "text" },
  "unclosed-fields": { directives: LEVELS, unclosed: "text", partials: true },
  container: { directives: ["log", "note"], dialect: "container" },
  "container-unclosed": {
    directives: ["log", "note"],
    dialect: "container",
    unclosed: "text",
  },
  start: { directives: NAMES, startInside: "think" },
  "only-at-start": { directives: NAMES, onlyAtStart: true },
  entities: { directives: NAMES, decodeEntities: true, caseInsensitive: true },
  "not-code-aware": { directives: NAMES, codeAware: false },
  loose: { directives: NAMES, mode: "loose" },
  commonmark: { directives: NAMES, mode: "commonmark" },
  "small-limits": {
    directives: LEVELS,
    maxTagLength: 16,
    maxHeldSpan: 20,
    maxDepth: 2,
    maxContentLength: 40,
  },
  "small-limits-unclosed": {
    directives: NAMES,
    unclosed: "text",
    maxTagLength: 16,
    maxHeldSpan: 20,
    maxDepth: 2,
    maxContentLength: 40,
  },
  "small-limits-container": {
    directives: ["log", "note"],
    dialect: "container",
    maxTagLength: 16,
    maxHeldSpan: 20,
    maxContentLength: 40,
  },
};

function directives(): Subject<TextCase>[] {
  return Object.entries(DIRECTIVES).map(([variant, options]) =>
    textSubject(
      `directive/${variant}`,
      (snapshot) => new DirectiveExtractorStream({ ...options, snapshot }),
      "directives",
      {
        also: checkDirectives,
        ...(variant === "small-limits" ? { mostHeld: 80 + 1024 } : {}),
      },
    )
  );
}

/** Every directive starts, is told of, and ends once, with all of its content. */
function checkDirectives(_text: string, parts: readonly Part[]): void {
  const open = new Map<string, string>();
  for (const part of parts) {
    if (part.type === "directive-start") {
      expectThat(!open.has(part.id), "A directive starts twice");
      open.set(part.id, "");
    } else if (part.type === "directive-delta") {
      expectThat(open.has(part.id), "A delta of a directive that is not open");
      open.set(part.id, open.get(part.id)! + part.text);
    } else if (part.type === "directive") {
      const told = open.get(part.id);
      expectThat(told !== undefined, "A directive ends that is not open");
      expectThat(
        told === "" || told === part.content,
        "The deltas are not the content",
      );
      expectThat(
        part.end === part.start + part.raw.length,
        "A directive ends elsewhere than its raw text",
      );
      open.delete(part.id);
    }
  }
  expectThat(open.size === 0, "A directive never ends");
}

const EVERY = dialects.map(({ name }) => name);

/** A markup that nobody has. */
const OWN: Dialect = {
  name: "own",
  forms: [{
    call: {
      open: [["@@", { match: "name" }, { match: "space" }]],
      body: "json",
      close: [[{ match: "space" }, "@@end"]],
    },
  }],
};

/** Salvager variants. */
const SALVAGERS: Readonly<Record<string, ToolCallSalvagerStreamOptions>> = {
  auto: {},
  bare: { bare: "line-start" },
  every: { dialects: EVERY, bare: "line-start" },
  literals: {
    dialects: ["xlam", "llama3-json", "llama-pythonic", "fenced-json", "react"],
  },
  own: { dialects: ["auto", OWN] },
  "start-inside": { startInside: "think", bare: "line-start" },
  "native-off": { afterNativeCall: "off" },
  progress: { progress: true, bare: "line-start" },
  "progress-every": { progress: true, dialects: EVERY },
  // A repair that guesses, as a host may have one.
  repair: { dialects: EVERY, repairJson: (text) => `${text}}` },
  "small-limits": {
    maxCandidateLength: 60,
    maxValueLength: 20,
    bare: "line-start",
  },
};

function salvagers(): Subject<TextCase>[] {
  return Object.entries(SALVAGERS).map(([variant, options]) =>
    textSubject(
      `salvager/${variant}`,
      (snapshot) =>
        new ToolCallSalvagerStream({ ...options, tools: TOOLS, snapshot }),
      "calls",
      {
        // A fence that is open where reasoning ends is not open behind it.
        ...(variant === "start-inside" ? {} : {
          also: (text, parts) => {
            if (!/think|thought|reason|reflect/i.test(text)) {
              checkCalls(text, parts);
            }
            checkProgress(parts);
          },
        }),
        costly: true,
        normal: withoutProgress,
        // Candidate, values, white space behind a bare call, a longest opener.
        ...(variant === "small-limits" ? { mostHeld: 60 + 20 + 256 + 64 } : {}),
      },
    )
  );
}

/** Calls are of tools that were offered, say what was written, and lie in no fence. */
function checkCalls(text: string, parts: readonly Part[]): void {
  const tracker = new FenceTrackerStream();
  let isOpen = false;
  const emit = (part: Part): void => {
    // A fence in a container may end at any line.
    if (part.type === "fence-start") {
      const before = text.slice(0, part.fence.start);
      // One that is markup of a refused call ends with the call.
      isOpen = /^[\r\n]?$/.test(before.slice(-1)) &&
        !/<｜tool▁sep｜>[^\r\n]*[\r\n]+$/.test(before);
    }
    if (part.type === "fence-end") isOpen = false;
    if (part.type === "tool-call" && part.origin === "salvaged") {
      expectThat(!isOpen, "A call was taken out of a fence");
      expectThat(
        TOOLS.some(({ name }) => name === part.toolName),
        `A call of "${part.toolName}", which was not offered`,
      );
      expectThat(
        typeof part.input === "object" && part.input !== null &&
          !Array.isArray(part.input),
        "A call whose input is no object",
      );
    }
  };
  for (const part of parts) tracker.stage.push(part, emit);
}

/** How a call grows is told as the chunks are cut. */
function withoutProgress(parts: readonly Part[]): Part[] {
  return parts.filter((part) => part.type !== "tool-input-delta");
}

/** A call that is told of ends once, and what is told of it was written. */
function checkProgress(parts: readonly Part[]): void {
  const open = new Map<string, string>();
  for (const part of parts) {
    if (part.type === "tool-input-start") {
      expectThat(!open.has(part.toolCallId), "A call begins twice");
      open.set(part.toolCallId, "");
    } else if (part.type === "tool-input-delta") {
      const told = open.get(part.toolCallId);
      expectThat(told !== undefined, "A delta of a call that is not open");
      open.set(part.toolCallId, told + part.delta);
    } else if (part.type === "tool-call-partial") {
      const told = open.get(part.toolCallId);
      expectSame("A cut call is what was told", part.inputText, told);
      open.delete(part.toolCallId);
    } else if (part.type === "tool-call" && "raw" in part) {
      expectThat(
        part.raw.includes(open.get(part.toolCallId) ?? ""),
        "What was told of a call was not written",
      );
      open.delete(part.toolCallId);
    }
  }
  expectThat(open.size === 0, "A call that was told of never ends");
}

/** Snippet variants. */
const SNIPPETS: Readonly<Record<string, SnippetExtractorStreamOptions>> = {
  default: {},
  guess: { guess: true },
  live: { live: true, guess: true },
  "tag-blocks": { tagBlocks: true },
  loose: { mode: "loose" },
  commonmark: { mode: "commonmark" },
  "small-limits": { maxContentLength: 20, maxLineLength: 16, guess: true },
};

function snippets(): Subject<TextCase>[] {
  return Object.entries(SNIPPETS).map(([variant, options]) =>
    textSubject(
      `snippet/${variant}`,
      (snapshot) => new SnippetExtractorStream({ ...options, snapshot }),
      "snippets",
      { normal: withoutDeltas, also: checkSnippets },
    )
  );
}

/** Deltas of snippets are cut as the chunks are, with the text between them. */
function withoutDeltas(parts: readonly Part[]): Part[] {
  return parts.filter((part) => part.type !== "snippet-delta");
}

/** Of a live snippet, the deltas are the content. */
function checkSnippets(_text: string, parts: readonly Part[]): void {
  const told = new Map<string, string>();
  for (const part of parts) {
    if (part.type === "snippet-start") {
      expectThat(!told.has(part.id), "A snippet starts twice");
      told.set(part.id, "");
    } else if (part.type === "snippet-delta") {
      expectThat(told.has(part.id), "A delta of a snippet that is not open");
      told.set(part.id, told.get(part.id)! + part.text);
    } else if (part.type === "snippet" && part.id !== undefined) {
      expectSame(
        "The deltas are the content",
        told.get(part.id),
        part.content,
      );
      told.delete(part.id);
    }
  }
  expectThat(told.size === 0, "A snippet never ends");
}

/** The snippets, without what tells where their parts stood. */
function snippetsOf(parts: readonly Part[]): Part[] {
  return parts.filter((part) => part.type === "snippet");
}

/** Alone, and behind a tracker with the same mode, a stage finds the same. */
function besideTracker(): Subject<TextCase>[] {
  return (["tolerant", "commonmark", "loose"] as const).map((mode) => ({
    name: `snippet/behind-tracker-${mode}`,
    make: (random) => randomTextCase(random, "snippets"),
    check(chunks) {
      const text = chunks.filter((chunk) => typeof chunk === "string").join("");
      const options = { mode, guess: true };
      expectSame(
        "Behind a fence tracker the snippets are the same",
        snippetsOf(
          run(
            pipeline(
              new FenceTrackerStream({ mode }),
              new SnippetExtractorStream(options),
            ),
            [text],
          ),
        ),
        snippetsOf(run(new SnippetExtractorStream(options), [text])),
      );
    },
    shrink: smallerTextCases,
    size: textCaseSize,
  }));
}

/** Directives do not depend on who finds the fences. */
function directivesBehindTracker(): Subject<TextCase>[] {
  return (["tolerant", "commonmark", "loose"] as const).map((mode) => ({
    name: `directive/behind-tracker-${mode}`,
    make: (random) => randomTextCase(random, "directives"),
    check(chunks) {
      const text = chunks.filter((chunk) => typeof chunk === "string").join("");
      const options = { directives: NAMES, mode };
      const found = (parts: readonly Part[]) =>
        parts.filter((part) => part.type === "directive");
      const make = (snapshot?: unknown) => {
        const [tracker, extractor] = (snapshot ?? []) as unknown[];
        return pipeline(
          new FenceTrackerStream({ mode, snapshot: tracker }),
          new DirectiveExtractorStream({
            ...options,
            trackFences: false,
            snapshot: extractor,
          }),
        );
      };
      checkTextCase(make, chunks);
      expectSame(
        "Behind a fence tracker the directives are the same",
        found(run(make(), [text])),
        found(run(new DirectiveExtractorStream(options), [text])),
      );
    },
    shrink: smallerTextCases,
    size: textCaseSize,
  }));
}

/** Fences as commonmark.js has them. */
function references(): Subject<TextCase>[] {
  return [
    {
      name: "fence/reference",
      make: (random) => randomTextCase(random, "markdown"),
      check(chunks) {
        // A last line of blanks alone is a line there, whether it ends or not;
        // and two characters count as line ends in its expressions.
        const text = `${
          chunks.filter((chunk) => typeof chunk === "string").join("")
        }\n`.replace(/[\u2028\u2029]/g, "-");
        const options = { mode: "commonmark", maxInfoLength: 1e6 } as const;
        const ours = blocksOf(run(new FenceTrackerStream(options), [text]));
        const theirs = referenceBlocks(text);
        if (!sameBlocks(ours, theirs)) {
          expectSame("Blocks are those of commonmark.js", ours, theirs);
        }
      },
      shrink: smallerTextCases,
      size: textCaseSize,
    },
  ];
}

/** Blocks with their content, as the reference gives them. */
function blocksOf(parts: readonly Part[]): ReferenceBlock[] {
  const blocks: ReferenceBlock[] = [];
  let content = "";
  for (const part of parts) {
    if (part.type === "fence-start") content = "";
    else if (part.type === "text" && part.code === "fence") {
      content += part.text;
    } else if (part.type === "text" && part.code === "marker") {
      // What stands before a line's prefix is no half of a line end behind it.
      content = content.replace(/\r\n?/g, "\n");
    } else if (part.type === "fence-end") {
      blocks.push({ info: part.fence.info, content });
    }
  }
  return blocks;
}

/** Every stage alone. */
export function stageSubjects(): Subject<TextCase>[] {
  return [
    sanitizer(),
    ...fences(),
    ...directives(),
    ...directivesBehindTracker(),
    ...salvagers(),
    ...snippets(),
    ...besideTracker(),
    ...references(),
  ];
}
