/**
 * Together with `@std/streams`: millrace's streams are ordinary
 * `TransformStream`s, so they stand in one chain with those of others.
 *
 *     deno run examples/deno_std.ts
 */
import { mergeReadableStreams } from "@std/streams/merge-readable-streams";
import { TextLineStream } from "@std/streams/text-line-stream";
import { toText } from "@std/streams/to-text";
import { type Part, standardPipeline } from "../mod.ts";
import { encodeText } from "../adapters/encode_text.ts";
import { fromSSE } from "../adapters/sse.ts";

/** A model's answer in small pieces, as OpenAI's API streams it. */
function answerOf(text: string): ReadableStream<Uint8Array> {
  const events = (text.match(/[^]{1,7}/g) ?? []).map((content) =>
    `data: ${
      JSON.stringify({
        object: "chat.completion.chunk",
        choices: [{ index: 0, delta: { content }, finish_reason: null }],
      })
    }\n\n`
  );
  return ReadableStream.from([...events, "data: [DONE]\n\n"]).pipeThrough(
    encodeText(),
  );
}

/** Only the text of parts. */
function textOnly(): TransformStream<Part, string> {
  return new TransformStream({
    transform(part, controller) {
      if (part.type === "text") controller.enqueue(part.text);
    },
  });
}

// Several models at once: their parts as they come, each with its name.
const named = (name: string) =>
  new TransformStream<Part, { name: string; part: Part }>({
    transform: (part, controller) => controller.enqueue({ name, part }),
  });
const models = {
  first: "Yes: <note>short</note>",
  second: "No:\n```js\nrun();\n```\n",
};
const seen = new Set<string>();
for await (
  const { name, part } of mergeReadableStreams(
    ...Object.entries(models).map(([name, text]) =>
      fromSSE(answerOf(text))
        .pipeThrough(standardPipeline({ directives: ["note"] }))
        .pipeThrough(named(name))
    ),
  )
) {
  if (part.type === "directive") seen.add(`${name}: ${part.content}`);
  if (part.type === "snippet") seen.add(`${name}: ${part.language}`);
}
console.log([...seen].sort().join("\n"));

// The text that is left, all of it.
const text = await toText(
  fromSSE(answerOf(models.first))
    .pipeThrough(standardPipeline({ directives: ["note"] }))
    .pipeThrough(textOnly()),
);
console.log(text);

// Line by line, behind the stages: each line with what is code in it.
const lines = fromSSE(answerOf(models.second))
  .pipeThrough(standardPipeline())
  .pipeThrough(textOnly())
  .pipeThrough(new TextLineStream());
for await (const line of lines) console.log(`| ${line}`);
