import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"

// What people run by hand says how it is used before it starts anything.

const root = join(import.meta.dirname, "..")
const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))

function run(script: string, ...args: string[]) {
  const command = ["run", "--silent", script, "--", ...args]
  const { status, stdout, stderr } = spawnSync("npm", command, { cwd: root, encoding: "utf8" })
  return { status, stdout, stderr }
}

test.each(["bench", "soak", "day", "fuzz", "test:crash"])("npm run %s says how it is used, with examples", (script) => {
  const { stdout, ...rest } = run(script, "--help")
  expect(rest).toEqual({ status: 0, stderr: "" })
  expect(stdout).toContain(`usage: npm run ${script} -- `)
  const [, examples = ""] = stdout.split("\nexamples:\n")
  const named = Array.from(examples.matchAll(/^ {2}npm run ([\w:]+)/gm), ([, name = ""]) => name)
  expect(named.length).toBeGreaterThan(1)
  for (const name of named) expect(scripts).toHaveProperty([name])
})

test.each([
  ["day", ["--fast"], "Unknown option '--fast': see npm run day -- --help"],
  ["fuzz", ["model"], "Unexpected argument 'model': see npm run fuzz -- --help"],
  [
    "fuzz",
    ["--kind", "all"],
    "--kind must be one of model, people, isolation, invalid, bytes: see npm run fuzz -- --help",
  ],
  ["test:crash", ["--rounds", "1.5"], "--rounds must be a whole number, 1 or more: see npm run test:crash -- --help"],
])("npm run %s %j is one sentence", (script, args, sentence) => {
  expect(run(script, ...args)).toEqual({ status: 2, stdout: "", stderr: `${sentence}\n` })
})
