import { spawnSync } from "node:child_process"
import { expect, test } from "vitest"
import { readImport } from "./index.ts"

/** Every byte as a character of its own, between others, and characters of two to four bytes. */
const texts = [
  ...Array.from({ length: 0x100 }, (_, code) => String.fromCharCode(code)).slice(1),
  ..."ßçÜ§é漢😀\u0700\u07c0\u0085\u2028\u202e\ufeff\ufffd\u{10ffff}",
  'it\'s "quoted" \\ and $(not run) `either`',
]
const values = texts.flatMap((text) => [text, `${text}1a`, `a${text}`, `'${text}\\`, `${text}${text}`])
const names = values.map((_, at) => `X${at}`)

/** What a shell prints about these variables and no others. */
function exported(shell: string[], locale: string, script = ""): string {
  const env = {
    ...Object.fromEntries(values.map((value, at) => [`X${at}`, value])),
    LC_ALL: locale,
    PATH: process.env["PATH"],
  }
  const [command = "", ...args] = shell
  const { stdout } = spawnSync(command, [...args, "-c", `${script}export -p`], { env, maxBuffer: 2 ** 26 })
  return stdout.toString("utf8")
}

const shells = [["bash", "--norc"], ["dash"], ["busybox", "sh"], ["ksh93"], ["mksh"], ["zsh", "-f"]].filter(
  ([command = ""]) => spawnSync(command, ["-c", ":"]).error === undefined,
)

test("bash and dash take part", () => {
  expect(shells.map(([command]) => command)).toEqual(expect.arrayContaining(["bash", "dash"]))
})

// In UTF-8, zsh writes U+0085 like the byte 0x85. In C, mksh writes some bytes of a character as they are.
const oddOnes = ["zsh in C.utf8", "mksh in C"]
const cases = shells
  .flatMap((shell) => ["C", "C.utf8"].map((locale) => ({ shell, locale, name: shell[0] })))
  .filter(({ name, locale }) => !oddOnes.includes(`${name} in ${locale}`))

test.each(cases)("what $name exports in the locale $locale is read back", async ({ shell, locale }) => {
  const { entries, faults } = await readImport(exported(shell, locale), "shell")
  const found = new Map(entries.map(({ name, value }) => [name, value]))
  expect(faults.filter(({ reason }) => !reason.startsWith("it is not a NAME=value"))).toEqual([])
  expect(names.map((name) => found.get(name))).toEqual(values)
})

test("bytes that are no text are faults of their lines", async () => {
  const script = 'for i in {128..255}; do printf -v B$i "\\\\$(printf %o $i)"; export B$i; done; '
  const { entries, faults } = await readImport(exported(["bash", "--norc"], "C", script), "shell")
  expect(faults.filter(({ reason }) => reason === "its bytes are not text in UTF-8")).toHaveLength(128)
  expect(entries.filter(({ name }) => name.startsWith("B"))).toEqual([])
})

/** As bash 5.2, zsh 5.9, ksh93u+m and mksh 59 write them, or read them. */
test.each([
  [String.raw`caf\303\251`, "café"],
  [String.raw`caf\xc3\xa9 \x41\x{42}\u00e9\U0001F600\u41`, "café ABé😀A"],
  [String.raw`\E[0m\e\cA\c?\c\\\ca\a\b\f\n\r\t\v\\\'\"\?`, "\x1b[0m\x1b\x01\x7f\x1c\x01\x07\b\f\n\r\t\v\\'\"?"],
  [String.raw`\M-C\M-)\C-A\C-?\M-E\M-\C-_`, "é\x01\x7f\u015f"],
  // zsh cannot read these two characters itself.
  [String.raw`\M-C\M-'\M-C\M-\C-\-\\`, "çÜ-\\"],
  [String.raw`\M-\\M-\C-@`, "\u0700"],
  [String.raw`\M-B\M-\t\M-B\M-\n`, "\u0089\u008a"],
  [String.raw`\C-\\C-]\C-\z`, "\x1c\x1d\x1cz"],
  [String.raw`\xc3\x[a9]1A\u[2028]1`, "é1A\u20281"],
  [String.raw`\047\u0085`, "'\u0085"],
  ["", ""],
])("$'%s' is %j", async (written, value) => {
  const { entries, faults } = await readImport(`export X=a$'${written}'b\nexport Y=1`, "shell")
  expect({ faults, values: entries.map((entry) => entry.value) }).toEqual({ faults: [], values: [`a${value}b`, "1"] })
})

test.each([
  [String.raw`\351`, "its bytes are not text in UTF-8"],
  [String.raw`\303`, "its bytes are not text in UTF-8"],
  [String.raw`\303x\251`, "its bytes are not text in UTF-8"],
  [String.raw`\ud83d\ude00`, "its bytes are not text in UTF-8"],
  [String.raw`\U110000`, "its bytes are not text in UTF-8"],
  [String.raw`a\0b`, "it has a NUL character, which no environment can hold"],
  [String.raw`a\u0000b`, "it has a NUL character, which no environment can hold"],
  [String.raw`a\c@b`, "it has a NUL character, which no environment can hold"],
  [String.raw`a\qb`, "it has an escape in $'…' that is not known"],
  [String.raw`a\xg`, "it has an escape in $'…' that is not known"],
  [String.raw`a\u`, "it has an escape in $'…' that is not known"],
])("$'%s' is a fault of its line alone", async (written, reason) => {
  const { entries, faults } = await readImport(`export W=1\nexport X=$'${written}'\nexport Y=1`, "shell")
  expect(faults).toEqual([{ line: 2, reason }])
  expect(entries.map(({ name }) => name)).toEqual(["W", "Y"])
})

test("a text in another language's quotes is the text alone", async () => {
  const { entries } = await readImport('export X=$"a b"', "shell")
  expect(entries).toEqual([{ line: 1, name: "X", value: "a b" }])
})
