import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"

// Holes that no test of behaviour is sure to find, because they show only with an input that it does not try. Each is a
// pattern, with examples that it must match. Files that are allowed to do it are listed with the reason.

interface Hole {
  in: string[]
  pattern: RegExp
  finds: string[]
  allowed?: Record<string, string>
}

const root = join(import.meta.dirname, "..")
const server = ["server/src"]
const screens = ["web/src", "web/public"]
const shipped = [...server, ...screens, "contract/src", "formats/src", "client/src", "integrations/mcp/src"]

const holes: Record<string, Hole[]> = {
  "no SQL is built from text: every value is a parameter": [
    {
      in: server,
      pattern: /\bsql\.(raw|lit)\b|CompiledQuery\.raw\(/,
      finds: ["sql.raw(name)", "sql.lit(value)", "CompiledQuery.raw(text, parameters)"],
      allowed: {
        "server/src/backup/bare-tables.ts": "gives PostgreSQL its own definitions of our tables back",
        "server/src/db/sqlite-drivers.ts": "begins and ends transactions with constants",
        "server/src/features/environments/items/store.ts":
          "numbers the places of a list's parameters, and nothing else",
      },
    },
    {
      in: server,
      pattern: /(?<![\w>])`\s*(select|insert|update|delete|create|alter|drop|truncate|pragma|with|listen)\b[^`]*\$\{/i,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: code to find.
      finds: ["`delete from item where name = '${name}'`", "pool.query(`\n  select ${column} from item`)"],
      allowed: {
        "server/src/db/postgres-feed.ts": "LISTEN takes no parameters; the names of our channels are constants",
        "server/src/db/postgres-locks.ts": "the numbers of our locks are constants",
        "server/src/features/environments/items/store.ts": "see above",
      },
    },
    {
      in: server,
      pattern: /\.prepare\(|\bdatabase\.exec\(/,
      finds: ["database.prepare(text)", "database.exec(text)"],
      allowed: {
        "server/src/db/job-lock.ts": "takes a lock with a constant",
        "server/src/db/open.ts": "the number by which others' changes are noticed",
        "server/src/db/sqlite-connection.ts": "what the query builder made",
        "server/src/db/sqlite-file.ts": "settings of the connection, and a first look into the file",
      },
    },
  ],
  "no secret is compared character by character": [
    {
      in: server,
      pattern: comparisonOf(
        "[tT]oken|[sS]ecret|[pP]assword|[hH]ash|[cC]ookie|[dD]igest|[aA]piKey|[rR]ootKey|[aA]uthorization",
      ),
      finds: ["given === session.token", "if (passwordHash !== stored)", "rootKey == given"],
      allowed: {
        "server/src/backup/read.ts": "the checksum of a file is not a secret",
        "server/src/features/identities/provider.ts": "of a visit, with the cookie of the same browser",
        "server/src/features/second-factors/totp.ts": "codes are compared in constant time",
        "server/src/features/variables/memory.ts": "both hashes come from the database",
        "server/src/features/variables/quick-read.ts": "only with what the same connection sent before",
      },
    },
  ],
  "the server runs no other program, evaluates no text, and calls other servers for webhooks, sign-ins and mail only": [
    {
      in: server,
      pattern: /child_process|node:vm|worker_threads|\beval\(|new Function\b/,
      finds: ['import { exec } from "node:child_process"', "eval(text)", "new Function(text)"],
    },
    {
      in: server,
      pattern: /\bfetch\(|node:https|http2|undici|openid-client|[{ ]request\b.* from "node:http"|node:dns|node:dgram/,
      finds: ["fetch(url)", 'await import("openid-client")', 'import { request } from "node:http"'],
      allowed: {
        "server/src/features/identities/provider.ts": "asks the providers that the settings list",
        "server/src/features/webhooks/delivery/resolve.ts": "finds the addresses of receivers, to check them",
        "server/src/features/webhooks/delivery/send.ts": "sends to addresses that were checked",
      },
    },
    {
      in: server,
      pattern: /\bfrom "nodemailer|import\("nodemailer|new Socket\(/,
      finds: ['import { createTransport } from "nodemailer"', 'await import("nodemailer")', "new Socket({ signal })"],
      allowed: {
        "server/src/db/gate.ts": "connects to the database of the settings",
        "server/src/mail/send.ts": "gives mails to the mail server of the settings",
      },
    },
  ],
  "nothing that must be hard to guess comes from Math.random": [
    {
      in: shipped,
      pattern: /Math\.random/,
      finds: ["Math.random()"],
      allowed: {
        "client/src/backoff.ts": "how long to wait before the next try",
        "client/src/instance.ts": "tells two processes apart that show themselves",
        "server/src/db/sqlite-connection.ts": "how long to wait before the next try",
        "server/src/db/transaction.ts": "how long to wait before the next try",
        "server/src/features/webhooks/delivery/schedule.ts": "how long to wait before the next try",
        "server/src/mail/schedule.ts": "how long to wait before the next try",
        "web/src/lib/live.ts": "how long to wait before the next try",
      },
    },
  ],
  "the screens build no HTML from text, keep nothing in the browser and talk to no other window": [
    {
      in: screens,
      pattern: /dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(/,
      finds: ["<p dangerouslySetInnerHTML={{ __html: value }} />", "element.innerHTML = value"],
    },
    {
      in: screens,
      pattern: /postMessage|onmessage|"message"|window\.(open|name)|document\.(cookie|domain)/,
      finds: ["window.open(url)", 'addEventListener("message", listen)', "document.cookie"],
      allowed: {
        "web/src/features/environments/import/import-worker.ts": "answers the page that started it",
        "web/src/features/environments/import/use-read-text.ts": "asks a worker that it started",
        "web/src/lib/live.ts": "says to tabs of our own origin which revisions there are, by whom and when",
        "web/src/lib/other-tabs.ts": "says to tabs of our own origin that something changed, and not what",
      },
    },
    {
      in: screens,
      pattern: /[lL]ocalStorage\b.*\(|sessionStorage|indexedDB|caches\./,
      finds: ["localStorage.setItem(name, value)", "useLocalStorage<Shown>({", "caches.open(name)"],
      allowed: {
        "web/public/color-scheme.js": "light or dark",
        "web/src/features/compare/use-column-choice.ts": "which environments are columns, by their ids",
        "web/src/first-page/scheme.ts": "light or dark",
        "web/src/lib/stored-choice.ts": "how the dashboard is sorted, and when values are masked again",
      },
    },
  ],
}

for (const [title, kinds] of Object.entries(holes)) {
  test(title, () => {
    for (const { in: folders, pattern, finds, allowed = {} } of kinds) {
      expect(finds.filter((code) => !pattern.test(code))).toEqual([])
      const found = sources(folders).filter(([, code]) => pattern.test(code))
      expect(found.map(([file]) => file)).toEqual(Object.keys(allowed).sort())
    }
  })
}

test("no regular expression repeats a repetition, so none can take exponential time", () => {
  expect(["(a+)+b", "(?:x*y)*", "([a-z]+){2,}"].every(repeatsARepetition)).toBe(true)
  const literal = /(?<=[(,=:[!&|?]\s*)\/(?![*/])((?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/[dgimsuvy]*/g
  const found = sources(shipped).filter(([, code]) =>
    [...code.matchAll(literal)].some(([, pattern = ""]) => repeatsARepetition(pattern)),
  )
  // In all of these, each round starts with a character that nothing else in it can match.
  const allowed = {
    "formats/src/env-example.ts": "a text in quotes begins with a quote",
    "formats/src/import/detect-syntax.ts": "an option begins with a dash",
    "formats/src/import/quoted-by.ts": "an escape begins with a backslash",
    "formats/src/import/read-shell.ts": "an option begins with a dash after blanks",
    "formats/src/parse-json.ts": "an escape begins with a backslash",
  }
  expect(found.map(([file]) => file)).toEqual(Object.keys(allowed))
})

/** The files that are shipped, without tests and comments. */
function sources(folders: string[]): [string, string][] {
  const files = folders.flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx,js}`, { cwd: root })).sort()
  return files
    .filter((file) => !/\.test\.tsx?$|\/test\//.test(file))
    .map((file) => [file, readFileSync(join(root, file), "utf8").replaceAll(/^\s*(\/\/|\*|\/\*).*$/gm, "")])
}

/** A comparison in which either side has one of these names, except with `undefined`. */
function comparisonOf(names: string): RegExp {
  const secret = String.raw`\b[\w?.]*(?:${names})\b`
  return new RegExp(String.raw`${secret}\)? *[!=]==? (?!undefined)|[!=]==? *${secret}|timingSafeEqual`)
}

/** An unlimited repetition of a group that contains an unlimited repetition. */
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
