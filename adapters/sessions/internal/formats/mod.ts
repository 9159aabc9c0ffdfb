import type { SessionFormat } from "../session_format.ts";
import { aider } from "./aider.ts";
import { claudeCode } from "./claude_code.ts";
import { clineHistory, clineMessages } from "./cline.ts";
import { codex } from "./codex.ts";
import { continueSession } from "./continue.ts";
import { copilot } from "./copilot.ts";
import { cursorTranscript } from "./cursor_transcript.ts";
import { gemini, geminiDocument } from "./gemini.ts";
import { geminiCheckpoint } from "./gemini_checkpoint.ts";
import { openCode } from "./opencode.ts";
import { pi } from "./pi.ts";
import { specStory } from "./specstory.ts";

/** All formats that are streams of bytes. */
export const formats: readonly SessionFormat[] = [
  claudeCode,
  codex,
  gemini,
  geminiDocument,
  geminiCheckpoint,
  clineHistory,
  clineMessages,
  aider,
  cursorTranscript,
  copilot,
  pi,
  continueSession,
  openCode,
  specStory,
];
