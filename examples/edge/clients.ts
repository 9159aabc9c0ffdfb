import { anthropicClient } from "./anthropic_client.ts";
import type { Client } from "./client.ts";
import type { RequestFormat } from "./configuration.ts";
import { openAIClient } from "./openai_client.ts";

/** The client of every format: one more is one line here and one file. */
export const clients: Readonly<Record<RequestFormat, Client>> = {
  "openai-chat": openAIClient,
  "anthropic": anthropicClient,
};
