/** A fresh process that goes on from many snapshots. */
import process from "node:process";
import { resumedAll } from "./subjects.ts";

let input = "";
process.stdin.setEncoding("utf8");
for await (const text of process.stdin) input += text;
process.stdout.write(resumedAll(input), () => process.exit(0));
