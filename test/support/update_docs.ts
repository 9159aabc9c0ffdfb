/** Writes docs/options.md anew: `npm run docs`. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { optionsPage } from "./option_tables.ts";
import { root } from "./public_files.ts";

writeFileSync(join(root, "docs/options.md"), optionsPage());
