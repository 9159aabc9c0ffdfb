/**
 * A path as a list of names below the workspace, joined by `/`; `undefined`
 * for one that is not surely inside: absolute without (or outside of) `workspace`, above
 * it by `..`, in a home directory, on another drive, a URL, or spelt so that
 * some system reads it as another path (colons, final dots and blanks of a name,
 * control characters). Back-slashes count as `/`. Symbolic links are not seen.
 *
 * @param workspace The workspace's absolute path.
 */
export function normalizePath(
  path: unknown,
  workspace?: string,
): string | undefined {
  if (typeof path !== "string" || path === "") return undefined;
  const names = namesOf(path);
  if (names === undefined) return undefined;
  if (!isAbsolute(path)) {
    return names.length > 0 && !path.startsWith("~")
      ? names.join("/")
      : undefined;
  }
  if (workspace === undefined || !isAbsolute(workspace)) return undefined;
  const root = namesOf(workspace);
  if (root === undefined || names.length <= root.length) return undefined;
  return root.every((name, at) => name === names[at])
    ? names.slice(root.length).join("/")
    : undefined;
}

const DRIVE = /^[A-Za-z]:(?=[\\/])/;

function isAbsolute(path: string): boolean {
  return DRIVE.test(path) || /^[\\/]/.test(path);
}

/** The names of a path without `.` and `..`; `undefined` when it cannot be told. */
function namesOf(path: string): string[] | undefined {
  const names: string[] = [];
  const drive = DRIVE.exec(path)?.[0] ?? "";
  const rest = path.slice(drive.length).replaceAll("\\", "/");
  if (drive !== "") names.push(drive.toUpperCase());
  // A server's share is another root than a directory of the same name.
  if (rest.startsWith("//")) names.push("//");
  const roots = names.length;
  for (const name of rest.split("/")) {
    if (name === "" || name === ".") continue;
    if (name === "..") {
      if (names.length === roots) return undefined;
      names.pop();
    } else if (/[:\p{Cc}]|[. ]$/u.test(name)) return undefined;
    else names.push(name);
  }
  return names;
}
