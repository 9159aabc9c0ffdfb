import { join } from "node:path";
import { rolldown } from "rolldown";
import { root } from "./public_files.ts";

/** A module of the project and all it imports as one piece of JavaScript. */
export async function bundle(
  path: string,
  platform: "browser" | "neutral",
  minify = false,
): Promise<string> {
  const build = await rolldown({
    input: join(root, path),
    platform,
    resolve: {
      mainFields: ["module", "main"],
      conditionNames: ["workerd", "worker", "import", "default"],
    },
    logLevel: "warn",
  });
  const { output } = await build.generate({ format: "esm", minify });
  await build.close();
  return output[0].code;
}
