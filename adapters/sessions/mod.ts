/**
 * Stored sessions of coding agents: bytes of a file in, messages with their code
 * out.
 *
 * {@linkcode SessionStream} tells the program by the content;
 * {@linkcode cursorSession} reads the databases of Cursor.
 *
 * @module
 */

export * from "./aider.ts";
export * from "./claude_code.ts";
export * from "./cline.ts";
export * from "./codex.ts";
export * from "./cursor.ts";
export * from "./gemini.ts";
export * from "./message.ts";
export * from "./session_stream.ts";
export * from "./sqlite_file.ts";
