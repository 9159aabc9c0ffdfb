/** A fresh process that goes on from many snapshots: lines in, lines out. */
import process from "node:process";
import { resumed, type Resumption } from "./subjects.ts";

let input = "";
process.stdin.setEncoding("utf8");
for await (const text of process.stdin) input += text;
const lines: string[] = [];
for (const resumption of JSON.parse(input) as Resumption[]) {
  let line: string;
  try {
    line = resumed(resumption);
  } catch (error) {
    line = `threw ${error}`;
  }
  lines.push(line);
}
process.stdout.write(JSON.stringify(lines), () => process.exit(0));
