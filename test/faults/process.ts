/** The faults on Node, Deno and Bun: a job comes in, cells go out. */
import process from "node:process";
import { type Job, runJob } from "./run.ts";

let input = "";
process.stdin.setEncoding("utf8");
for await (const text of process.stdin) input += text;
console.log(JSON.stringify(await runJob(JSON.parse(input) as Job)));
process.exit(0);
