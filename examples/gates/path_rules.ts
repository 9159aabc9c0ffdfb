/**
 * An allow list of tools, each with the folders that it may touch. What is not in
 * it does not run.
 *
 *     const policy = pathRules("/home/me/project", {
 *       list_files: "anything",
 *       read_file: ["."],
 *       write_file: ["src", "docs"],
 *     });
 */
import { lstat, realpath } from "node:fs/promises";
import {
  basename,
  dirname,
  isAbsolute,
  join,
  relative,
  resolve,
} from "node:path";
import type { ToolPolicy } from "../../mod.ts";

/** The folders of the workspace that a tool may touch, or that it may do anything. */
export type PathRules = Readonly<
  Record<string, "anything" | readonly string[]>
>;

/** Where inputs have paths. */
const PATH_KEYS = ["path", "file_path", "filePath", "source", "destination"];

/** A policy that lets these tools run, in these folders. */
export function pathRules(workspace: string, rules: PathRules): ToolPolicy {
  return async ({ toolName, input }) => {
    const rule = Object.hasOwn(rules, toolName) ? rules[toolName] : undefined;
    if (rule === undefined) {
      return { allow: false, reason: `"${toolName}" is not allowed` };
    }
    if (rule === "anything") return true;
    const paths = pathsIn(input);
    if (paths.length === 0) {
      return {
        allow: false,
        reason: `Cannot tell which file "${toolName}" would touch`,
      };
    }
    const folders = await Promise.all(
      rule.map((folder) => realPathOf(resolve(workspace, folder))),
    );
    for (const path of paths) {
      const file = typeof path === "string"
        ? await realPathOf(resolve(workspace, path))
        : undefined;
      if (
        file === undefined || !folders.some((folder) => isIn(folder, file))
      ) {
        return {
          allow: false,
          reason: `"${toolName}" may not touch ${JSON.stringify(path)}`,
        };
      }
    }
    return true;
  };
}

function pathsIn(input: unknown): unknown[] {
  if (typeof input !== "object" || input === null) return [];
  return PATH_KEYS.filter((key) => Object.hasOwn(input, key))
    .map((key) => (input as Record<string, unknown>)[key]);
}

function isIn(folder: string, file: string): boolean {
  const way = relative(folder, file);
  return way.split(/[/\\]/, 1)[0] !== ".." && !isAbsolute(way);
}

/**
 * A path with all links followed, also one of a file that is yet to be made.
 * Whoever opens it later has to look again: links change.
 */
async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const parent = dirname(path);
    // A link to nothing would be followed by whoever writes there.
    if (parent === path || await exists(path)) throw error;
    return join(await realPathOf(parent), basename(path));
  }
}

async function exists(path: string): Promise<boolean> {
  return await lstat(path).then(() => true, () => false);
}
