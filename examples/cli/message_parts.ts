import { FenceTrackerStream, parse, type Part } from "../../mod.ts";
import type { CodeSnippet, Message } from "../../adapters/sessions/mod.ts";

/** A stored message as the parts a stream would have had. */
export function partsOfMessage(message: Message): Part[] {
  return message.blocks.flatMap((block, index) => {
    const snippets = message.snippets.filter((one) => one.block === index).map(
      snippetPart,
    );
    switch (block.type) {
      case "text":
        return [
          ...parse(block.text, new FenceTrackerStream()),
          ...snippets,
        ];
      case "reasoning":
        return [block, ...snippets];
      case "tool-call": {
        const { toolName, input, toolCallId = "" } = block;
        const call: Part = {
          type: "tool-call",
          toolCallId,
          toolName,
          input,
          origin: "native",
        };
        return [call, ...snippets];
      }
      case "tool-result": {
        const { output, toolCallId = "" } = block;
        return [{ type: "tool-result", toolCallId, output }];
      }
      default:
        return [];
    }
  });
}

function snippetPart(snippet: CodeSnippet): Part {
  const { block: _, toolName: _tool, failed: _failed, ...rest } = snippet;
  return { type: "snippet", ...rest };
}
