/**
 * One name for each language, whatever a fence calls it.
 *
 * @module
 */

import { baseName, extension } from "./internal/path_like.ts";

/*
 * One line a language: its id, then the names it goes by in fences, then (behind
 * the bar) the extensions and names of its files.
 *
 * Source: made by hand after the language identifiers of Visual Studio Code and
 * the names, aliases and extensions of GitHub Linguist; ids are the former's,
 * except `shell` (there `shellscript`) and `jsx` and `tsx` (there
 * `javascriptreact` and `typescriptreact`), for which fences have one name.
 * Where an extension has several languages, the one that models write most.
 */
const TABLE = `
ada | adb ads
apl | apl
applescript osascript | applescript scpt
asm assembly nasm x86asm | asm nasm s
astro | astro
awk gawk mawk | awk
bat batch cmd dosbatch | bat cmd
bibtex bib | bib
c | c h
clojure clj cljs edn | clj cljs cljc edn
cmake | cmake CMakeLists.txt
cobol | cob cbl
coffeescript coffee coffee-script | coffee
cpp c++ cc cxx hpp h++ | cpp cc cxx c++ hpp hh hxx h++ ipp
crystal cr | cr
csharp c# cs | cs csx
css | css
csv | csv
cuda cu cuda-cpp | cu cuh
d dlang | d
dart | dart
diff udiff patch | diff patch
dockerfile docker containerfile | dockerfile Dockerfile Containerfile
dotenv env | env
elixir ex exs | ex exs
elm | elm
erb html+erb | erb
erlang erl | erl hrl
fish | fish
fortran f90 f95 | f90 f95 f03 f f77
fsharp f# fs | fs fsi fsx
gitignore ignore | .gitignore .dockerignore .npmignore
glsl | glsl vert frag
go golang | go
gomod go-mod | go.mod
graphql gql | graphql gql
groovy | groovy gradle Jenkinsfile
haml | haml
handlebars hbs mustache | hbs handlebars mustache
haskell hs | hs lhs
hcl terraform tf | tf hcl tfvars
hlsl | hlsl
html htm xhtml html5 | html htm xhtml
http https | http
ini cfg conf dosini properties | ini cfg conf properties editorconfig .editorconfig
java | java
javascript js node mjs cjs ecmascript es6 | js mjs cjs es6
json geojson webmanifest | json webmanifest geojson map
json5 | json5
jsonc | jsonc code-workspace
jsonl ndjson jsonlines | jsonl ndjson
jsonnet | jsonnet libsonnet
jsx javascriptreact react | jsx
julia jl | jl
jupyter ipynb | ipynb
just justfile | just justfile
kotlin kt kts | kt kts
latex tex | tex sty cls
less | less
liquid | liquid
lisp common-lisp commonlisp cl elisp emacs-lisp | lisp lsp el
log | log
lua luau | lua luau
makefile make mk gnumake bsdmake | mk mak Makefile GNUmakefile
markdown md gfm mdown mkd | md markdown mdown mkd
matlab octave | 
mdx | mdx
mermaid mmd | mmd mermaid
nginx nginxconf | nginx nginx.conf
nim | nim nims
nix nixos | nix
objective-c objc objectivec obj-c | m
objective-cpp objc++ objective-c++ objectivec++ | mm
ocaml ml reasonml | ml mli
pascal delphi object-pascal | pas pp dpr
perl pl | pl pm
php php3 php4 php5 | php phtml
plaintext text txt plain none | txt text
plsql pl/sql plpgsql pl/pgsql | pls plsql
powershell pwsh ps ps1 posh | ps1 psm1 psd1
prisma | prisma
prolog | pro
protobuf proto proto3 protocol-buffers | proto
pug jade | pug jade
puppet | 
purescript purs | purs
python py py3 python3 python2 pyi ipython pycon python-repl | py pyi pyw
r rlang rscript | r rmd
racket rkt | rkt
razor cshtml blazor | cshtml razor
regex regexp | 
restructuredtext rst rest | rst
ruby rb jruby rbx | rb gemspec rake Gemfile Rakefile Podfile Vagrantfile Brewfile
rust rs | rs
sass | sass
scala sbt | scala sc sbt
scheme scm | scm ss
scss | scss
shell sh bash zsh ksh ash dash shellscript shell-script | sh bash zsh ksh .bashrc .zshrc .profile
shellsession console shell-session bash-session terminal sh-session | 
solidity sol | sol
sql mysql postgresql postgres sqlite tsql t-sql mssql | sql
svelte | svelte
svg | svg
swift | swift
tcl | tcl
toml | toml Pipfile Cargo.lock
tsv | tsv
tsx typescriptreact | tsx
twig jinja jinja2 django | twig j2 jinja jinja2
typescript ts mts cts | ts mts cts
typst typ | typ
v vlang | 
vb vb.net vbnet visual-basic vba | vb vbs
verilog systemverilog sv | v sv svh vh
vhdl | vhd vhdl
viml vim vimscript | vim .vimrc
vue | vue
wasm wat wast | wat wast
wgsl | wgsl
xml xsd xsl xslt plist rss | xml xsd xsl xslt plist csproj
yaml yml | yaml yml
zig | zig
`;

const names = new Map<string, string>();
const extensions = new Map<string, string>();
const fileNames = new Map<string, string>();
for (const line of TABLE.trim().split("\n")) {
  const [first = "", second = ""] = line.split("|");
  const [id = "", ...aliases] = first.trim().split(" ");
  names.set(id, id);
  for (const alias of aliases) names.set(alias, id);
  for (const file of second.trim().split(" ")) {
    const whole = file.includes(".") || /^[A-Z]/.test(file);
    if (file !== "") {
      (whole ? fileNames : extensions).set(file.toLowerCase(), id);
    }
  }
}

/** Extensions of files that hold no language of their own. */
const OTHER_EXTENSIONS: ReadonlySet<string> = new Set([
  "example",
  "gitkeep",
  "lock",
  "pem",
  "rules",
  "sample",
  "service",
  "template",
  "tmpl",
]);

/** Whether a fence may mean a language by this name. */
export function isKnownLanguage(name: string): boolean {
  return names.has(name.toLowerCase());
}

/** Whether files with this extension (without the dot) are common. */
export function isKnownExtension(name: string): boolean {
  const lower = name.toLowerCase();
  return extensions.has(lower) || OTHER_EXTENSIONS.has(lower);
}

/**
 * One id for a language, whatever it is called: `js` and `mjs` are
 * `javascript`, `py` is `python`, `sh`, `bash` and `zsh` are `shell`, `c++` is
 * `cpp`. Names are compared without case; what follows a comma (`rust,ignore`)
 * does not count. A name the table does not know comes back in lower case.
 *
 * Ids and aliases follow the language identifiers of Visual Studio Code and the
 * aliases of GitHub Linguist.
 *
 * @param language The language as written, `undefined` when there is none.
 * @param filePath A file name or path: its extension tells when `language` is
 *   absent.
 * @returns The id, or `undefined` when nothing tells.
 *
 * @example
 * ```ts
 * import { languageId } from "@millrace/millrace";
 *
 * if (languageId("C++") !== "cpp") throw new Error();
 * if (languageId(undefined, "src/main.rs") !== "rust") throw new Error();
 * if (languageId() !== undefined) throw new Error();
 * ```
 */
export function languageId(
  language?: string,
  filePath?: string,
): string | undefined {
  if (language !== undefined && language !== "") {
    const lower = language.toLowerCase();
    const comma = lower.indexOf(",");
    const name = comma > 0 ? lower.slice(0, comma) : lower;
    return names.get(name) ?? name;
  }
  if (filePath === undefined) return undefined;
  const name = baseName(filePath).toLowerCase();
  const after = extension(filePath)?.toLowerCase();
  return fileNames.get(name) ??
    (after === undefined ? undefined : extensions.get(after));
}
