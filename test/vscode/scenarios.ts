/**
 * What the test's language model says. Both extensions and the runner have this:
 * the model plays it, the runner knows what has to come of it.
 */

/** One thing that the model does. */
export type Step =
  | { readonly text: string }
  | {
    readonly call: {
      readonly callId: string;
      readonly name: string;
      readonly input: object;
    };
  }
  | { readonly data: { readonly mimeType: string; readonly text: string } }
  | { readonly thinking: string | string[] }
  /** Fails, with one of the editor's own errors where there is a code. */
  | {
    readonly error: {
      readonly message: string;
      readonly code?: "NoPermissions" | "Blocked" | "NotFound";
    };
  }
  /** Waits for so many milliseconds, or until the request is cancelled. */
  | { readonly wait: number | "cancelled" };

/** What the model's vendor is called. */
export const VENDOR = "millrace-test";

/** The name of the tool that is offered, and that the checker has registered. */
export const TOOL = "millrace_test_read";

/** A call of it, written as text. */
export const LEAK: string = `<function_calls>\n<invoke name="${TOOL}">\n` +
  '<parameter name="path">a.md</parameter>\n' +
  '<parameter name="line">3</parameter>\n</invoke>\n</function_calls>';

/** What the tool takes. */
export const TOOL_SCHEMA: object = {
  type: "object",
  properties: { path: { type: "string" }, line: { type: "integer" } },
};

function textSteps(text: string, size: number): Step[] {
  const steps: Step[] = [];
  for (let at = 0; at < text.length; at += size) {
    steps.push({ text: text.slice(at, at + size) });
  }
  return steps;
}

/** The same, only shown. */
export const FENCED: string = `Like this:\n\`\`\`xml\n${LEAK}\n\`\`\`\n`;

/** A file of the folder that is open, and what is in it. */
export const FILE: Readonly<{ name: string; content: string }> = {
  name: "hello.md",
  content: "Hello from the folder\n",
};

const CHAT_LEAK = '<function_calls>\n<invoke name="millrace_read_file">\n' +
  `<parameter name="path">${FILE.name}</parameter>\n</invoke>\n</function_calls>`;

/** What the model says to everything that is no scenario. */
export const LAST_WORDS = "I see.";

/** By name, which is what the last message of a request has to say. */
export const scenarios: Readonly<Record<string, readonly Step[]>> = {
  emoji: [{ text: "Up \ud83d" }, { text: "\ude80!" }, { text: " \udc00" }],
  leak: [
    ...textSteps(`${FENCED}Now: ${LEAK} then \u{1f680}`, 3),
    { call: { callId: "c1", name: TOOL, input: { path: "b.md", deep: [1] } } },
    { text: "last" },
  ],
  parts: [
    { thinking: ["Hm", "."] },
    { text: "a" },
    { data: { mimeType: "application/json", text: '{"n":1}' } },
    { data: { mimeType: "cache_control", text: "ephemeral" } },
    { text: "b" },
  ],
  // The editor drops what came right before an error, and keeps what came earlier.
  late: [
    { text: "Some " },
    { wait: 500 },
    { error: { message: "quota", code: "Blocked" } },
  ],
  blocked: [{ error: { message: "quota", code: "Blocked" } }],
  permissions: [{ error: { message: "no", code: "NoPermissions" } }],
  missing: [{ error: { message: "gone", code: "NotFound" } }],
  filtered: [{ error: { message: "Response got filtered." } }],
  long: [{ error: { message: "Response too long." } }],
  plain: [{ error: { message: "The socket broke" } }],
  hang: [{ text: "Some " }, { wait: "cancelled" }],
  agent: [{ text: `I have to look. ${LEAK}` }],
  chat: textSteps(`Up \u{1f680}! ${CHAT_LEAK}`, 5),
};
