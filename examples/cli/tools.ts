import { readFileSync } from "node:fs";
import type { Tool } from "../../mod.ts";
import { UsageError } from "./options.ts";

/** Tools as the usual APIs and a plain record write them. */
export function readTools(file: string): Tool[] {
  let value: unknown;
  const wanted = 'it has to hold JSON such as [{"name": "read"}]';
  try {
    value = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new UsageError(
      error instanceof SyntaxError
        ? `Cannot read the tools in "${file}", ${wanted}: ${error.message}`
        : `Cannot read the tools in "${file}": ${(error as Error).message}`,
    );
  }
  if (typeof value !== "object" || value === null) {
    throw new UsageError(
      `Cannot read the tools in "${file}": ${wanted}`,
    );
  }
  const entries = Array.isArray(value)
    ? value
    : Object.entries(value).map(([name, inputSchema]) => ({
      name,
      inputSchema,
    }));
  return entries.map((entry, index) => {
    // OpenAI wraps the tool, Anthropic and OpenAI name the schema differently.
    const tool = entry?.function ?? entry;
    if (typeof tool?.name !== "string") {
      throw new UsageError(
        `Cannot read the tools in "${file}": entry ${index + 1} has no "name"`,
      );
    }
    const inputSchema = tool.inputSchema ?? tool.input_schema ??
      tool.parameters;
    return { name: tool.name, inputSchema };
  });
}
