/** Writes docs/options.md and the table of docs/salvaging.md anew: `npm run docs`. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withDialects } from "./dialect_table.ts";
import { optionsPage } from "./option_tables.ts";
import { root } from "./public_files.ts";

writeFileSync(join(root, "docs/options.md"), optionsPage());

const salvaging = join(root, "docs/salvaging.md");
writeFileSync(salvaging, withDialects(readFileSync(salvaging, "utf8")));
