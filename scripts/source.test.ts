import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"

// What can be seen in the source alone. Each rule is a kind of hole that no test of behaviour would find for certain.

const root = join(import.meta.dirname, "..")

/** The lines of what is shipped, tests left out, as `file: line`. */
function lines(...folders: string[]): string[] {
  const files = folders.flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx,js}`, { cwd: root })).sort()
  const shipped = files.filter((file) => !/\.test\.tsx?$|\/test\/|\/dist\/|node_modules/.test(file))
  if (shipped.length === 0) throw new Error(`nothing in ${folders.join(", ")}`)
  return shipped.flatMap((file) =>
    readFileSync(join(root, file), "utf8")
      .split("\n")
      .filter((line) => !/^\s*(\/\/|\*|\/\*)/.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  )
}

const server = lines("server/src")
const everything = lines("server/src", "contract/src", "formats/src", "client/src", "web/src", "web/public")
const matching = (where: string[], rule: RegExp) => where.filter((line) => rule.test(line))

test("no statement is put together out of text: what comes from outside is always a parameter", () => {
  expect(matching(server, /\bsql\.(raw|lit)\b|\$\{[^}]*\}.*\.exec\(/)).toEqual([])
  // A backup is written and restored table by table, by names that are quoted.
  const named = matching(server, /\bsql\.(ref|table|id|join)\b/)
  expect(named.filter((line) => !line.startsWith("server/src/backup/"))).toEqual([])
  // The one statement that is as long as its list: what is put together is the numbered places of its parameters.
  expect(matching(server, /CompiledQuery\.raw/)).toEqual([
    "server/src/features/environments/items/store.ts: CompiledQuery.raw(",
  ])
  expect(matching(server, /\bvalues \$\{(?!sql\.)/)).toEqual([
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a line of the source, as it stands there.
    "server/src/features/environments/items/store.ts: `insert into item (environment_id, name, sealed_value) values ${rows.join()}",
  ])
  // Without a query builder: only these, and none of them holds anything from outside.
  expect(matching(server, /database\.(exec|prepare)\(/)).toEqual([
    'server/src/db/open.ts: if (!readOnly) database.exec("pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on")',
    'server/src/db/open.ts: const version = database.prepare("pragma data_version")',
    'server/src/db/open.ts: const statement = database.prepare(sql === "begin" ? "begin immediate" : sql)',
  ])
})

test("no secret is compared letter by letter: tokens are looked up by their hash, and the rest is left to argon2 and the cipher", () => {
  const secret = String.raw`\b\w*(?:[tT]oken|[sS]ecret|[pP]assword|[hH]ash|[cC]ookie|[dD]igest|[aA]piKey|[rR]ootKey|[tT]ag)\b`
  const compared = matching(server, new RegExp(`${secret}\\)? *[!=]==? |[!=]==? *${secret}|timingSafeEqual`))
  // A withdrawn key's hash comes from the database, and nobody can guess towards a hash; a backup's sum is in it.
  const harmless = /(token|rootKey|dataKey) [!=]== undefined|ends\?\.keyHash === keyHash|end\.sha256 !== hash/
  expect(compared.filter((line) => !harmless.test(line))).toEqual([])
  // Looked up by the hash alone, never by what was sent.
  const lookups = matching(server, /where\(.*(token|key)_hash/)
  expect(lookups.length).toBeGreaterThan(2)
  expect(lookups.filter((line) => !/"(=|in)", (token|key)Hash(es)?\b/.test(line))).toEqual([])
})

test("the server runs no other program, evaluates no text and asks no other server", () => {
  expect(matching(server, /child_process|node:vm|\beval\(|new Function|worker_threads/)).toEqual([])
  expect(
    matching(server, /\bfetch\(|node:https|http2|undici|[{ ]request\b.* from "node:http"|node:dns|node:dgram/),
  ).toEqual([])
})

test("nothing that must not be guessed comes from Math.random", () => {
  expect(matching(everything, /Math\.random/)).toEqual([
    expect.stringMatching(/^client\/src\/request\.ts: return Math\.min/),
    expect.stringMatching(/^server\/src\/db\/transaction\.ts: await sleep\(/),
  ])
})

test("the screens make no HTML out of text, keep nothing in the browser and talk to no other window", () => {
  const web = lines("web/src", "web/public")
  expect(
    matching(web, /dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(/),
  ).toEqual([])
  // A channel of our own origin alone, on which nothing is said but that something changed.
  expect(matching(web, /postMessage/)).toEqual(['web/src/lib/other-tabs.ts: channel.postMessage("changed")'])
  expect(matching(web, /onmessage|"message"\)|window\.open|window\.name|document\.cookie|document\.domain/)).toEqual([])
  // How the screens are to look; what is kept is searched for values in the browser, by security.journey.ts.
  expect(matching(web, /[lL]ocalStorage\b.*\(|sessionStorage|indexedDB|caches\./)).toEqual([
    'web/public/color-scheme.js: chosen = localStorage.getItem("mantine-color-scheme-value")',
    "web/src/features/items/use-shown.ts: const [shown, setShown] = useLocalStorage<Shown>({",
  ])
})

test("no pattern repeats what already repeats, so that no text takes for ever to be looked at", () => {
  const literal = /(?<=[(,=:[!&|?]\s*)\/(?![*/])((?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/[dgimsuvy]*/g
  const patterns = everything.flatMap((line) => [...line.matchAll(literal)].map(([, pattern = ""]) => pattern))
  expect(patterns.length).toBeGreaterThan(40)
  // Of JSON's strings: between two turns stands a backslash, which nothing else in it can be.
  const known = patterns.filter((pattern) => !pattern.includes(String.raw`(?:\\[\s\S][^"\\]*)*`))
  expect(known.length).toBe(patterns.length - 1)
  expect(known.filter(repeatsARepetition)).toEqual([])
  expect(["(a+)+b", "(?:x*y)*", "([a-z]+){2,}"].every(repeatsARepetition)).toBe(true)
})

/** A group that is repeated without end and holds something that is. */
function repeatsARepetition(pattern: string): boolean {
  const plain = pattern.replaceAll(/\\./g, "x").replaceAll(/\[[^\]]*\]/g, "x")
  const open: number[] = []
  for (const [at, character] of [...plain].entries()) {
    if (character === "(") open.push(at)
    if (character !== ")") continue
    const inside = plain.slice(open.pop() ?? 0, at)
    if (/^(\*|\+|\{\d*,\})/.test(plain.slice(at + 1)) && /[*+]|\{\d*,\}/.test(inside)) return true
  }
  return false
}
