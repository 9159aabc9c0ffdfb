/** Longer names are no file names anybody wrote on purpose. */
const LONGEST_PATH = 250;

/** Names without an extension that are files all the same, in lower case. */
const BARE_FILE_NAMES: ReadonlySet<string> = new Set([
  "brewfile",
  "caddyfile",
  "containerfile",
  "dockerfile",
  "gemfile",
  "gnumakefile",
  "jenkinsfile",
  "justfile",
  "license",
  "makefile",
  "pipfile",
  "podfile",
  "procfile",
  "rakefile",
  "readme",
  "vagrantfile",
]);

/** Things whose name has a dot and that are no files, and abbreviations, in lower case. */
const DOTTED_NAMES: ReadonlySet<string> = new Set([
  "a.k.a",
  "a.m",
  "ado.net",
  "angular.js",
  "asp.net",
  "backbone.js",
  "c#.net",
  "console.log",
  "d.c",
  "d3.js",
  "deno.land",
  "e.g",
  "ember.js",
  "express.js",
  "f#.net",
  "i.e",
  "ml.net",
  "nest.js",
  "next.js",
  "node.js",
  "nuxt.js",
  "p.m",
  "p5.js",
  "ph.d",
  "react.js",
  "socket.io",
  "three.js",
  "u.k",
  "u.s",
  "vb.net",
  "vue.js",
]);

/**
 * Whether a text looks like the path of a file: a slash, or a dot with an
 * extension and something before it. Addresses (`://`) and text with characters
 * that no shared file system likes are none.
 */
export function isPathLike(text: string): boolean {
  if (text.length === 0 || text.length > LONGEST_PATH) return false;
  if (text.includes("://") || FORBIDDEN.test(text)) return false;
  if (text.includes("/")) return /[^/.\s]/.test(text) && !text.endsWith("/");
  // A Windows path, or a name with an extension.
  return /^[A-Za-z]:\\./.test(text) || extension(text) !== undefined;
}

// deno-lint-ignore no-control-regex
const FORBIDDEN = /[\u0000-\u001f\u007f`<>|"*?]/;

/** Whether a text names a file at a place where only files are named. */
export function isFileName(text: string): boolean {
  return isPathLike(text) || isBareFileName(text) ||
    /^\.[A-Za-z][\w.-]*$/.test(text);
}

/** Whether a text is a well-known file name without an extension. */
export function isBareFileName(text: string): boolean {
  return BARE_FILE_NAMES.has(text.toLowerCase());
}

/**
 * Whether a text stands for a thing even where files are named: a version, or a
 * name of {@linkcode isDottedName} written like one, `Node.js`. `vue.js` may be a file.
 */
export function isThing(text: string): boolean {
  return isVersion(text) ||
    /[A-Z]/.test(text) && DOTTED_NAMES.has(text.toLowerCase());
}

/** Also of one before its release, and a number with its unit: `v2.0.0-rc1`, `1.x`, `3.5s`. */
function isVersion(text: string): boolean {
  const head = /^v?\d[\d.]*/i.exec(text)?.[0];
  if (head === undefined) return false;
  const rest = text.slice(head.length).toLowerCase();
  return rest === "" || rest === "x" ||
    /^[a-z]{1,3}$/.test(rest) && !head.endsWith(".") ||
    /^-(?:alpha|beta|rc|pre|dev|next|canary)[\w.-]*$/.test(rest);
}

/** Whether a text is the name of a thing that is no file, such as `Node.js` or `v1.x`. */
export function isDottedName(text: string): boolean {
  return DOTTED_NAMES.has(text.toLowerCase()) || isVersion(text) ||
    /^[^/\\]+\.(?:com|io|net|org)$/i.test(text);
}

/** The last step of a path. */
export function baseName(path: string): string {
  return path.slice(
    Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1,
  );
}

/** The extension of a path's last step, without the dot, when it has one and something before it. */
export function extension(path: string): string | undefined {
  const name = baseName(path);
  const dot = name.lastIndexOf(".");
  if (dot < 1) return undefined;
  const after = name.slice(dot + 1);
  return /^[\w+~-]{1,16}$/.test(after) && /[A-Za-z]/.test(after)
    ? after
    : undefined;
}
