/**
 * The providers that come with millrace, one line each.
 *
 * @module
 */

import { partsProvider } from "../parts_provider.ts";
import type { Provider } from "../provider.ts";
import { anthropic } from "./anthropic.ts";
import { bedrockConverse } from "./bedrock_converse.ts";
import { claudeCode } from "./claude_code.ts";
import { codex } from "./codex.ts";
import { cohere } from "./cohere.ts";
import { gemini } from "./gemini.ts";
import { geminiCli } from "./gemini_cli.ts";
import { googleInteractions } from "./google_interactions.ts";
import { ollama } from "./ollama.ts";
import { openaiChat } from "./openai_chat.ts";
import { openaiResponses } from "./openai_responses.ts";
import { opencode } from "./opencode.ts";

/**
 * All providers, in the order in which they are asked whether a stream is theirs:
 * those that look closest at the event come first.
 *
 * @example
 * ```ts
 * import { providers } from "@millrace/millrace/adapters/providers";
 *
 * const event = { type: "message_start", message: {} };
 * const found = providers.find((provider) => provider.detect(event));
 * if (found?.name !== "anthropic") throw new Error();
 * ```
 */
export const providers: readonly Provider[] = [
  anthropic,
  openaiResponses,
  cohere,
  googleInteractions,
  bedrockConverse,
  codex,
  opencode,
  geminiCli,
  claudeCode,
  ollama,
  gemini,
  openaiChat,
  partsProvider,
];
