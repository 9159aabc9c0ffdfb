/**
 * Claude Code's command line (`claude -p --output-format stream-json`): its
 * messages checked by schema, as events for a server's clients, as parts, and
 * the lines to answer it with.
 *
 * @module
 */

export * from "./answers.ts";
export * from "./claude_code_adapter.ts";
export * from "./claude_code_stream.ts";
export * from "./events.ts";
export * from "./provider_adapter.ts";
export * from "./socket_event_stream.ts";
export * from "./table.ts";
