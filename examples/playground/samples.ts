/** A stream to try, with what to look for in it. */
export interface Sample {
  name: string;
  text: string;
  tools: string;
  directives: string;
  reasoning: boolean;
}

const call = `<function_calls>
<invoke name="read_file">
<parameter name="path">src/main.ts</parameter>
<parameter name="max_lines">80</parameter>
</invoke>
</function_calls>`;

/** A text as OpenAI's chat completions would stream it. */
function chatStream(text: string): string {
  const pieces = text.match(/[^]{1,9}/g) ?? [];
  const event = (delta: object, finish_reason: string | null): string =>
    `data: ${
      JSON.stringify({
        object: "chat.completion.chunk",
        choices: [{ index: 0, delta, finish_reason }],
      })
    }\n\n`;
  return pieces.map((content) => event({ content }, null)).join("") +
    event({}, "stop") + "data: [DONE]\n\n";
}

const answer = `The build fails because \`parse()\` never sees the last line. 🔎

<note level="info">
The stream ended inside an event; flush it.
</note>

Add a flush to the parser:

\`\`\`ts src/parser.ts (12-18)
flush() {
  if (this.buffer !== "") this.line(this.buffer);
  // <note>markup in code stays code</note>
}
\`\`\`

Let me check the caller too.

${call}
`;

/** The samples, the first one shown at the beginning. */
export const samples: readonly Sample[] = [
  {
    name: "An answer with everything",
    text: answer,
    tools: "read_file",
    directives: "note",
    reasoning: false,
  },
  {
    name: "The same as a provider streams it",
    text: chatStream(answer),
    tools: "read_file",
    directives: "note",
    reasoning: false,
  },
  {
    name: "What is no call",
    text: `This is how a call looks:

\`\`\`xml
${call}
\`\`\`

Write \`<invoke name="read_file">\` for it, or "<tool_call>" in some models.

> <tool_call>{"name": "read_file", "arguments": {"path": "quoted"}}</tool_call>

<tool_call>{"name": "delete_file", "arguments": {"path": "not offered"}}</tool_call>

And now for real:

<tool_call>{"name": "read_file", "arguments": {"path": "a.md"}}</tool_call>
`,
    tools: "read_file",
    directives: "",
    reasoning: false,
  },
  {
    name: "Reasoning, then cut off",
    text: `<think>
They want a flush. The user wrote \`</think>\` in backticks, which is no end.
</think>
Here is the file:

~~~~md README.md
A block in a block:

~~~js
flush();
~~~
~~~~

\`\`\`ts src/cut.ts
export function half(
`,
    tools: "",
    directives: "",
    reasoning: true,
  },
  {
    name: "Fences in lists and quotes",
    text: `1. First
   \`\`\`sh
   npm install
   \`\`\`
2. Then
   > ~~~json package.json
   > { "name": "a" }
   > ~~~

    \`\`\`
    indented code, no fence
    \`\`\`

Ticks \`\` \`a\` \`\` and a lone \` tick.
`,
    tools: "",
    directives: "",
    reasoning: false,
  },
];
