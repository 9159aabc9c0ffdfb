/** Connections that break for real, on every runtime. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";

const EVENTS = 5;
const LETTERS = "abcdefgh";

function event(content: string): string {
  const choices = [{ index: 0, delta: { content } }];
  return `data: ${
    JSON.stringify({ object: "chat.completion.chunk", choices })
  }\n\n`;
}

test(
  "a connection that breaks gives what came, an error and one finish; one that hangs is let go of",
  async () => {
    // The clients are started from Node.
    if ("Deno" in globalThis || "Bun" in globalThis) return;
    const { askWorkerd, runScript } = await import("./runtimes.ts");
    let open = 0;
    const server = createServer((request, response) => {
      const [, at, how] = request.url!.split("/");
      open++;
      response.on("close", () => open--);
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (let sent = 0; sent < Number(at); sent++) {
        response.write(event(LETTERS[sent]!));
      }
      // Half an event is there when it breaks.
      response.write(event("lost").slice(0, 40), () => {
        if (how === "break") setTimeout(() => request.socket.destroy(), 20);
      });
    });
    await new Promise<void>((go) => server.listen(0, "127.0.0.1", go));
    const { port } = server.address() as AddressInfo;
    const job = JSON.stringify({
      url: `http://127.0.0.1:${port}`,
      events: EVENTS,
    });
    const expected: string[] = [];
    for (let at = 1; at < EVENTS; at++) {
      const text = LETTERS.slice(0, at);
      expected.push(
        `${at} break: ${text} closed error false 1`,
        `${at} hang: ${text} closed cancelled false 1`,
        `${at} cancel: ${text} closed`,
      );
    }
    try {
      for (const runtime of ["Node", "Deno", "Bun", "workerd"]) {
        const [answer] = runtime === "workerd"
          ? await askWorkerd("test/faults/sockets_worker.ts", [job])
          : [await runScript(runtime, "test/faults/sockets_process.ts", job)];
        expect(JSON.parse(answer!), runtime).toEqual(expected);
        // The last ones are closed in a moment.
        for (let wait = 0; open > 0 && wait < 200; wait++) {
          await new Promise((go) => setTimeout(go, 20));
        }
        expect(open, `${runtime}: connections that are open`).toBe(0);
      }
    } finally {
      server.closeAllConnections();
      server.close();
    }
  },
  120_000,
);
