import {
  collectParts,
  DirectiveExtractorStream,
  FenceTrackerStream,
  parse,
  type Part,
  ToolCallSalvagerStream,
} from "../../mod.ts";
import { chunksOf, playAll, Player, providerOf, type Setup } from "./player.ts";

/** One line of a case file, as test/cases/README.md describes it. */
export interface TestCase {
  id: string;
  area: "provider" | "salvage" | "directive" | "fence";
  source: string;
  why: string;
  input: string | string[];
  options: Record<string, unknown>;
  expect: Record<string, unknown>;
}

/** What is on the page, as a case for the stage that it is about. */
export function testCase(setup: Setup): TestCase {
  const { text, size, seed, tools, directives, fences } = setup;
  const { format } = new Player(setup);
  const input = chunksOf(text, size, seed);
  const mode = fences === "tolerant" ? {} : { mode: fences };
  const base = { source: "playground", why: "" };
  if (format !== "text") {
    return {
      ...base,
      id: "playground-provider-001",
      area: "provider",
      input: text,
      options: { provider: providerOf(text) },
      expect: providerAnswer(setup),
    };
  }
  if (tools.length > 0) {
    const { toolCalls, text: rest } = collectParts(
      parse(text, new ToolCallSalvagerStream({ tools })),
    );
    return {
      ...base,
      id: "playground-salvage-001",
      area: "salvage",
      input,
      options: { tools },
      expect: {
        calls: toolCalls.map(({ toolName: name, input }) => ({ name, input })),
        text: rest,
        textCompare: "exact",
      },
    };
  }
  if (directives.length > 0) {
    return {
      ...base,
      id: "playground-directive-001",
      area: "directive",
      input,
      options: { directives, ...mode },
      expect: {
        parts: directiveAnswer(
          parse(
            text,
            new DirectiveExtractorStream({ directives, mode: fences }),
          ),
        ),
      },
    };
  }
  return {
    ...base,
    id: "playground-fence-001",
    area: "fence",
    input,
    options: mode,
    expect: {
      blocks: fenceAnswer(
        parse(text, new FenceTrackerStream({ mode: fences })),
      ),
    },
  };
}

function providerAnswer(setup: Setup): Record<string, unknown> {
  const parts = playAll({
    ...setup,
    tools: [],
    directives: [],
    reasoning: false,
  });
  const { text, reasoning, toolCalls, finish } = collectParts(parts);
  return {
    text,
    ...(reasoning === "" ? {} : { reasoning }),
    calls: toolCalls.map(({ toolCallId: id, toolName: name, input }) => ({
      id,
      name,
      input,
    })),
    finish: finish?.reason,
    complete: finish?.complete,
  };
}

/** Texts and tags in order, neighbouring texts merged. */
function directiveAnswer(parts: readonly Part[]): Record<string, unknown>[] {
  const answer: Record<string, unknown>[] = [];
  for (const part of parts) {
    const last = answer.at(-1);
    if (part.type === "text" && last?.["type"] === "text") {
      last["content"] += part.text;
    } else if (part.type === "text") {
      answer.push({ type: "text", content: part.text });
    } else if (part.type === "directive") {
      const { name, content, attributes, complete } = part;
      answer.push({
        type: "tag",
        name,
        content,
        ...(Object.keys(attributes).length === 0 ? {} : { attributes }),
        partial: !complete,
      });
    }
  }
  return answer;
}

function fenceAnswer(parts: readonly Part[]): Record<string, unknown>[] {
  const answer: { info: string; content: string; closed: boolean }[] = [];
  for (const part of parts) {
    if (part.type === "fence-start") {
      answer.push({ info: part.fence.info, content: "", closed: false });
    } else if (part.type === "text" && part.code === "fence") {
      answer.at(-1)!.content += part.text;
    } else if (part.type === "fence-end") answer.at(-1)!.closed = part.closed;
  }
  return answer;
}
