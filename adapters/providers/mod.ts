import type { Provider } from "../provider.ts";
import { anthropic } from "./anthropic.ts";
import { claudeCode } from "./claude_code.ts";
import { openaiChat } from "./openai_chat.ts";

/** All providers, in the order in which they are asked to detect a stream. */
export const providers: readonly Provider[] = [
  anthropic,
  claudeCode,
  openaiChat,
];
