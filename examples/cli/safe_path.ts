/** The steps of a path below a folder, or why it has none. */
export type SafePath = { steps: string[] } | { refused: string };

/** Names that Windows takes for devices, with any extension. */
const DEVICE =
  /^(?:con|prn|aux|nul|conin\$|conout\$|clock\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\s*\.|\s*$)/i;

/** Characters that some system or terminal does not take for what they are. */
const STRANGE =
  // deno-lint-ignore no-control-regex
  /[\x00-\x1f\x7f-\x9f<>:"|?*\ud800-\udfff\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/;

/** Most bytes of a name that common file systems take. */
const LONGEST_NAME = 240;

/** Most steps and bytes of a path. */
const MOST_STEPS = 64;
const LONGEST_PATH = 2_048;

/**
 * Turns a path that a model wrote into one below a folder, the same on every
 * system. An absolute path inside `cwd` becomes relative to it; any other one,
 * also of Windows, loses its root. What leads above the folder, into a `.git`
 * folder or to nothing is refused. Characters and names that some system takes
 * for something else are changed.
 *
 * Links are not looked at here: that takes the file system.
 */
export function safePath(path: string, cwd?: string): SafePath {
  const steps: string[] = [];
  for (const step of splitPath(relativeTo(path, cwd))) {
    if (step === "" || step === ".") continue;
    if (step === "..") {
      if (steps.length === 0) return { refused: "it leads out of the folder" };
      steps.pop();
    } else steps.push(safeName(step));
  }
  if (steps.length === 0 || /[/\\]\s*$/.test(path)) {
    return { refused: "it names no file" };
  }
  if (steps.some(isGit)) return { refused: "it leads into a .git folder" };
  if (
    steps.length > MOST_STEPS || byteLength(steps.join("/")) > LONGEST_PATH ||
    steps.some((step) => byteLength(step) > LONGEST_NAME)
  ) return { refused: "it is too long" };
  return { steps };
}

function splitPath(path: string): string[] {
  return path.trim().split(/[/\\]/);
}

/** A path relative to a directory when it is inside it, as its steps say. */
function relativeTo(path: string, cwd: string | undefined): string {
  if (cwd === undefined || !/^\s*(?:[/\\]|[a-z]:[/\\])/i.test(path)) {
    return path;
  }
  const base = splitPath(cwd).filter((step) => step !== "");
  const steps = splitPath(path).filter((step) => step !== "");
  return base.length > 0 && base.every((step, index) => step === steps[index])
    ? steps.slice(base.length).join("/")
    : path;
}

/** A name that is one everywhere. */
function safeName(step: string): string {
  let name = "";
  for (const character of step) {
    name += STRANGE.test(character) && character.length === 1 ? "_" : character;
  }
  // Windows drops dots and blanks at the end, so that two names are one.
  name = name.replace(/[. ]+$/, (end) => "_".repeat(end.length));
  // A shell takes ~ for a home and - for an option.
  return DEVICE.test(name) || /^[~-]/.test(name) ? `_${name}` : name;
}

/** Whether a name is that of Git's folder on some file system. */
function isGit(name: string): boolean {
  return /^(?:\.git|git~\d+)_*$/i.test(name.normalize("NFKC"));
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
