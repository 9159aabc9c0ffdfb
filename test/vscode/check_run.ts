import assert from "node:assert/strict";
import type { Part } from "../../mod.ts";
import { merged } from "../laws.ts";
import type { EditorRun } from "./run_editor.ts";
import { FENCED, FILE, LAST_WORDS, LEAK, TOOL } from "./scenarios.ts";

function text(value: string, start: number): Part {
  return { type: "text", text: value, start };
}

function finish(reason: string, complete: boolean): unknown {
  return { type: "finish", reason, complete };
}

/** The texts that a model got as results, by the ids of the calls. */
function resultsOf(request: unknown): Record<string, string> {
  const { messages } = request as { messages: { _content: unknown[] }[] };
  return Object.fromEntries(
    messages.flatMap(({ _content }) => _content).flatMap((part) => {
      const { callId, content } = part as {
        callId?: string;
        content?: { value: string }[];
      };
      return callId === undefined || content === undefined
        ? []
        : [[callId, content.map(({ value }) => value).join("")]];
    }),
  );
}

/** How a scenario has to end that gives nothing but an error. */
const failures: Readonly<
  Record<string, { reason: string; code?: string; message: string }>
> = {
  blocked: { reason: "error", code: "Blocked", message: "quota" },
  permissions: { reason: "error", code: "NoPermissions", message: "no" },
  missing: { reason: "error", code: "NotFound", message: "gone" },
  filtered: {
    reason: "content-filter",
    code: "content-filter",
    message: "Response got filtered.",
  },
  long: {
    reason: "length",
    code: "response-too-long",
    message: "Response too long.",
  },
  plain: { reason: "error", message: "The socket broke" },
};

/** What has to be so, each thing by its name. */
export function checksOf(
  { report, asked, answer }: EditorRun,
): Readonly<Record<string, () => void>> {
  const { scenarios, stopped, fit } = report;
  const of = (name: string) => {
    const { given, byFields, byClasses, salvaged } = scenarios[name]!;
    return {
      given,
      byFields: merged(byFields),
      byClasses: merged(byClasses),
      salvaged: merged(salvaged),
    };
  };
  return {
    "halves of an emoji come as parts of their own, and become whole": () => {
      const { given, byFields, salvaged } = of("emoji");
      assert.deepEqual(
        given.map(({ fields }) => (fields as { value: string }).value),
        ["Up \ud83d", "\ude80!", " \udc00"],
      );
      assert.deepEqual(byFields, [
        text("Up \u{1f680}! \udc00", 0),
        finish("stop", true),
      ]);
      assert.deepEqual(salvaged, [
        text("Up \u{1f680}! \ufffd", 0),
        finish("stop", true),
      ]);
    },
    "with and without the editor's classes, the parts are the same": () => {
      for (const name of Object.keys(scenarios)) {
        assert.deepEqual(of(name).byFields, of(name).byClasses, name);
      }
    },
    "a split leak becomes a call, a quoted one stays, a native one keeps its place":
      () => {
        const parts = of("leak").salvaged.filter(({ type }) =>
          type !== "warning"
        );
        const start = FENCED.length + "Now: ".length;
        const end = start + LEAK.length;
        const native = {
          type: "tool-call",
          toolCallId: "c1",
          toolName: TOOL,
          input: { path: "b.md", deep: [1] },
          origin: "native",
        };
        assert.deepEqual(merged(parts), [
          text(`${FENCED}Now: `, 0),
          {
            type: "tool-call",
            toolCallId: "call_1",
            toolName: TOOL,
            input: { path: "a.md", line: 3 },
            origin: "salvaged",
            dialect: "anthropic",
            raw: LEAK,
            start,
            end,
            repairs: [],
          },
          text(" then \u{1f680}", end),
          native,
          text("last", end + " then \u{1f680}".length),
          finish("tool-calls", true),
        ]);
      },
    "thinking is reasoning, data is raw and never text": () => {
      const { given, byFields } = of("parts");
      // Thinking is proposed: where the editor has no class, nothing was sent.
      const reasoning = given.some(({ kind }) => kind === "thinking")
        ? [{ type: "reasoning", text: "Hm." }]
        : [];
      assert.deepEqual(
        byFields.map((part) =>
          part.type === "raw"
            ? (part.value as { mimeType: string }).mimeType
            : part
        ),
        [
          ...reasoning,
          text("a", 0),
          "application/json",
          "cache_control",
          text("b", 1),
          finish("stop", true),
        ],
      );
    },
    "errors say what the editor knows of them": () => {
      for (
        const [name, { reason, code, message }] of Object.entries(failures)
      ) {
        const [error, end, ...more] = of(name).byFields;
        assert.equal(error?.type, "error", name);
        assert.equal(error.error.message, message, name);
        assert.equal(error.error.code, code, name);
        assert.deepEqual(end, finish(reason, false), name);
        assert.deepEqual(more, [], name);
      }
    },
    "what came before an error is kept": () => {
      const [before, error, end] = of("late").byFields;
      assert.deepEqual(before, text("Some ", 0));
      assert.equal(error?.type, "error");
      assert.equal(error.error.code, "Blocked");
      assert.deepEqual(end, finish("error", false));
    },
    "a request that hangs is stopped by its token, a signal, its reader":
      () => {
        const cancelled = [text("Some ", 0), finish("cancelled", false)];
        assert.deepEqual(stopped, {
          token: cancelled,
          signal: cancelled,
          reader: [text("Some ", 0)],
        });
      },
    "tool results fit the window as the model counts it": () => {
      assert.ok(fit.before > 9 * fit.budget);
      assert.ok(fit.total <= fit.budget - 100);
      assert.ok(fit.after <= fit.budget);
      assert.ok(fit.after > 0.9 * fit.budget);
      assert.deepEqual(
        fit.shortened.map(({ toolCallId }) => toolCallId),
        ["c1"],
      );
      assert.ok(fit.counts < 20, `${fit.counts} counts`);
      assert.ok(fit.instances, "messages are of other classes");
      assert.ok(fit.again, "fitting again changes something");
      assert.match(fit.tooSmall, /^OverBudgetError: .*too many/);
    },
    "and the model gets them so, well-formed and with their ends": () => {
      assert.doesNotMatch(JSON.stringify(fit.received), /\\ud[89a-f]/);
      const { c1, c2 } = resultsOf(fit.received);
      assert.equal(c1!.length, fit.shortened[0]!.to);
      assert.ok(c1!.startsWith("first \ufffd\nnoise \u{1f680}\n"));
      assert.ok(c1!.endsWith("noise \u{1f680}\nlast"));
      assert.equal(c2!.split("\n").length, 12);
    },
    "the example runs a call that leaked, and shows the text without it":
      () => {
        const { shown, invoked, result, received } = report.answer;
        assert.equal(shown, `I have to look. ${LAST_WORDS}`);
        assert.deepEqual(invoked, [{ path: "a.md", line: 3 }]);
        assert.deepEqual(result, {});
        assert.equal(received.length, 2);
        assert.deepEqual(resultsOf(received[1]), {
          salvaged_1_1: "the content",
        });
        assert.ok(!JSON.stringify(received[1]).includes("function_calls"));
      },
    "the example is active, and its tool is there": () => {
      assert.ok(report.example.active);
      assert.ok(report.example.tools.includes("millrace_read_file"));
    },
    "in the chat: asked, allowed, read, answered": () => {
      assert.equal(report.chat.length, 2);
      assert.deepEqual(resultsOf(report.chat[1]), {
        salvaged_1_1: FILE.content,
      });
      assert.ok(asked.includes("Up \u{1f680}!"), asked);
      assert.ok(!asked.includes("invoke"), asked);
      assert.ok(answer.includes(LAST_WORDS), answer);
    },
  };
}
