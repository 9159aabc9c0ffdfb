/**
 * Composing a pipeline in a script: a model's SSE stream in, parts out.
 *
 *     npx tsx examples/script.ts
 */
import { createReadStream } from "node:fs";
import process from "node:process";
import {
  DirectiveExtractorStream,
  FenceTrackerStream,
  pipeline,
  SnippetExtractorStream,
  SurrogateSanitizerStream,
  ToolCallSalvagerStream,
} from "../mod.ts";
import { fromSSE } from "../adapters/sse.ts";

// With a real model: const source = (await fetch(url, request)).body, or the
// Response itself.
const source = createReadStream(
  new URL("./data/demo.sse", import.meta.url),
);

const parts = fromSSE(source).pipeThrough(pipeline(
  new SurrogateSanitizerStream(),
  new ToolCallSalvagerStream({
    tools: [{
      name: "read_file",
      inputSchema: {
        type: "object",
        properties: {
          path: { type: "string" },
          max_lines: { type: "integer" },
        },
      },
    }],
  }),
  new FenceTrackerStream(),
  new DirectiveExtractorStream({ directives: ["note"] }),
  new SnippetExtractorStream(),
));

for await (const part of parts) {
  switch (part.type) {
    case "text":
      process.stdout.write(part.text);
      break;
    case "directive":
      console.log(`[${part.name}: ${part.content}]`);
      break;
    case "tool-call":
      // A suggestion, not an order: ask before you run it.
      console.log(`[${part.toolName} ${JSON.stringify(part.input)}]`);
      break;
    case "snippet":
      console.log(`[${part.languageId} for ${part.filePath}]`);
      break;
    case "finish":
      console.log(`[${part.reason}, ${part.complete ? "whole" : "cut"}]`);
      break;
  }
}
