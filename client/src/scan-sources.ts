import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { extname, join, relative } from "node:path"

/** Where a program reads a variable. */
export interface Use {
  name: string
  file: string
  line: number
}

const maxFileBytes = 1024 * 1024
const skippedFolders = new Set(["node_modules", "dist", "build", "vendor", "target", "venv", "__pycache__", "coverage"])

/** Names of variables that systems and tools set, not people. */
export const builtIn = new Set(
  "CI,COLUMNS,DEBUG,EDITOR,FORCE_COLOR,HOME,HOSTNAME,LANG,LINES,LOGNAME,MODE,NODE_ENV,NODE_OPTIONS,NO_COLOR,PATH,PROD,DEV,SSR,BASE_URL,PWD,SHELL,TEMP,TERM,TMP,TMPDIR,TZ,USER,USERNAME,USERPROFILE,APPDATA,VISUAL,XDG_CONFIG_HOME".split(
    ",",
  ),
)

const script = [
  /(?:process|import\.meta|Bun)\.env(?:\?\.|\.)([A-Za-z_]\w*)/g,
  /(?:process|import\.meta|Bun)\.env(?:\?\.)?\[\s*["'`]([^"'`\n]+)["'`]\s*\]/g,
  /Deno\.env\.(?:get|has)\(\s*["'`]([^"'`\n]+)["'`]/g,
]
const patterns: Record<string, readonly RegExp[]> = {
  script,
  python: [/os\.environ(?:\.get\(|\[|\.setdefault\()\s*["']([^"'\n]+)["']/g, /(?:os\.)?getenv\(\s*["']([^"'\n]+)["']/g],
  php: [
    /\bgetenv\(\s*["']([^"'\n]+)["']/g,
    /\$_(?:ENV|SERVER)\[\s*["']([^"'\n]+)["']\s*\]/g,
    /\benv\(\s*["']([A-Z_][A-Z0-9_]*)["']/g,
  ],
  ruby: [/\bENV\[\s*["']([^"'\n]+)["']\s*\]/g, /\bENV\.(?:fetch|key\?|dig)\(?\s*["']([^"'\n]+)["']/g],
  go: [/\bos\.(?:Getenv|LookupEnv)\(\s*["`]([^"`\n]+)["`]/g],
  jvm: [/\bSystem\.getenv\(\s*"([^"\n]+)"/g],
  rust: [/\benv::(?:var|var_os)\(\s*"([^"\n]+)"/g, /\b(?:option_)?env!\(\s*"([^"\n]+)"/g],
  dotnet: [/\bEnvironment\.GetEnvironmentVariable\(\s*"([^"\n]+)"/g],
  c: [/\b(?:secure_)?getenv\(\s*"([^"\n]+)"/g],
  // Only here: in a shell script, most names are its own variables.
  compose: [/(?<![$\\])\$\{?([A-Za-z_]\w*)/g],
}

const languages: Record<string, string> = {
  ...Object.fromEntries("js,cjs,mjs,jsx,ts,cts,mts,tsx,vue,svelte,astro".split(",").map((one) => [one, "script"])),
  ...Object.fromEntries("java,kt,kts,scala,groovy".split(",").map((one) => [one, "jvm"])),
  ...Object.fromEntries("c,h,cc,cpp,cxx,hpp".split(",").map((one) => [one, "c"])),
  ...Object.fromEntries("cs,fs,vb".split(",").map((one) => [one, "dotnet"])),
  py: "python",
  php: "php",
  rb: "ruby",
  go: "go",
  rs: "rust",
}

function languageOf(file: string): string | undefined {
  const name = file.slice(file.lastIndexOf("/") + 1).toLowerCase()
  if (/^dockerfile(\..*)?$|\.dockerfile$/.test(name)) return "docker"
  if (/^(docker-)?compose(\..*)?\.ya?ml$/.test(name)) return "compose"
  return languages[extname(name).slice(1)]
}

/** The names that the programs in a folder read, with the places. */
export function scanFolder(folder: string): Use[] {
  const uses: Use[] = []
  for (const file of listFiles(folder)) {
    const language = languageOf(file.replaceAll("\\", "/"))
    const text = language === undefined ? undefined : readText(join(folder, file))
    if (language !== undefined && text !== undefined) uses.push(...usesIn(language, file, text))
  }
  return uses
}

/** In a repository, git knows what is ignored. */
function listFiles(folder: string): string[] {
  try {
    const args = ["-C", folder, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    const out = execFileSync("git", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], maxBuffer: 2 ** 28 })
    return out.split("\0").filter((file) => file !== "" && !isSkipped(file))
  } catch {
    return walk(folder, folder)
  }
}

function isSkipped(file: string): boolean {
  return file.split("/").some((part) => skippedFolders.has(part) || part === ".git")
}

function walk(root: string, folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return isSkipped(entry.name) ? [] : walk(root, path)
    return entry.isFile() ? [relative(root, path)] : []
  })
}

/** Undefined for what is too large, gone or not text. */
function readText(file: string): string | undefined {
  try {
    const info = statSync(file)
    if (!info.isFile() || info.size > maxFileBytes) return undefined
    const text = readFileSync(file, "utf8")
    return text.includes("\0") ? undefined : text
  } catch {
    return undefined
  }
}

export function usesIn(language: string, file: string, text: string): Use[] {
  const lineOf = lineCounter(text)
  const found: { name: string; at: number }[] = []
  if (language === "docker") found.push(...inDockerfile(text))
  for (const pattern of patterns[language] ?? []) {
    for (const match of text.matchAll(pattern)) found.push({ name: match[1] ?? "", at: match.index })
  }
  if (language === "script") found.push(...destructured(text))
  return found
    .filter(({ name }) => name !== "" && !builtIn.has(name))
    .toSorted((one, other) => one.at - other.at)
    .map(({ name, at }) => ({ name, file, line: lineOf(at) }))
}

/** `const { A, B: b = "x", ...rest } = process.env` */
function destructured(text: string): { name: string; at: number }[] {
  const found: { name: string; at: number }[] = []
  for (const match of text.matchAll(
    /\{([^{}]*)\}\s*(?::[^=;]{0,200})?=\s*(?:process|import\.meta|Bun)\.env\b(?!\s*[.[?])/g,
  )) {
    const [whole, written = ""] = match
    const start = match.index + whole.indexOf(written)
    const list = written.replaceAll(/\/\/[^\n]*/g, (comment) => " ".repeat(comment.length))
    for (const part of list.matchAll(/(?:^|,)\s*["']?([A-Za-z_]\w*)["']?/g)) {
      found.push({ name: part[1] ?? "", at: start + part.index + part[0].lastIndexOf(part[1] ?? "") })
    }
  }
  return found
}

/** What a Dockerfile sets itself by ARG or ENV is not missing. */
function inDockerfile(text: string): { name: string; at: number }[] {
  const own = new Set(Array.from(text.matchAll(/^\s*(?:ARG|ENV)\s+([A-Za-z_]\w*)/gim), ([, name]) => name))
  const uses = Array.from(text.matchAll(/(?<![$\\])\$\{?([A-Za-z_]\w*)/g), (match) => ({
    name: match[1] ?? "",
    at: match.index,
  }))
  return uses.filter(({ name }) => !own.has(name))
}

function lineCounter(text: string): (at: number) => number {
  const starts = [0]
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1)
  return (at) => {
    let [low, high] = [0, starts.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((starts[middle] ?? 0) <= at) low = middle
      else high = middle
    }
    return low + 1
  }
}
