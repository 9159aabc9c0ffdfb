/** The same on Node, Deno and Bun. */
import process from "node:process";
import { runSockets, type SocketJob } from "./sockets.ts";

let input = "";
process.stdin.setEncoding("utf8");
for await (const text of process.stdin) input += text;
process.on("unhandledRejection", (reason) => {
  console.error(`nobody handles ${reason}`);
  process.exit(3);
});
const lines = await runSockets(JSON.parse(input) as SocketJob);
process.stdout.write(JSON.stringify(lines), () => process.exit(0));
