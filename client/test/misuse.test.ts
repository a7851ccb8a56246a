import { expect, test } from "vitest"
import type { Command } from "../src/command.ts"
import { commands } from "../src/commands/all.ts"
import { manual, optionWords, settings } from "../src/help.ts"
import { formats } from "../src/index.ts"
import { envkeep } from "./command.ts"

const keyGiven = "an API key is not an argument: set ENVKEEP_KEY"
const secretRule =
  "the name of a Secret has 1 to 253 small letters, digits, - and . and starts and ends with a letter or digit"
const namespaceRule =
  "the name of a namespace has 1 to 63 small letters, digits and - and starts and ends with a letter or digit"

test("help names every command, format and setting, and each command has a page", async () => {
  const { code, out, err } = await envkeep(["--help"]).ended
  const lines = out.trimEnd().split("\n")
  expect([code, err]).toEqual([0, ""])
  expect(lines.length).toBeLessThanOrEqual(48)
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
  const words = [...commands.map(({ name }) => name), ...settings.map(([name]) => name), ...formats]
  for (const word of words) expect(out).toContain(word)
  expect((await envkeep(["help"]).ended).out).toBe(out)
  expect(commands.map(({ name }) => name)).toEqual([...new Set(commands.map(({ name }) => name))])
  for (const command of commands) {
    const page = manual(command)
    expect(Math.max(...page.split("\n").map((line) => line.length))).toBeLessThanOrEqual(100)
    for (const option of command.options) expect(page).toContain(optionWords(option))
  }
  const page = manual(commands.find(({ name }) => name === "push") as Command)
  for (const args of [
    ["help", "push"],
    ["push", "--help"],
    ["push", "-h"],
  ]) {
    expect(await envkeep(args).ended).toEqual({ code: 0, out: page.replace("0.0.0", "0.2.0"), err: "" })
  }
})

test.each([
  [[], "no command given"],
  [["nonsense"], 'there is no command "nonsense"'],
  [["run"], "run needs a command: envkeep run -- command"],
  [["run", "--"], "run needs a command: envkeep run -- command"],
  [["run", "--wat", "--", "true"], 'there is no option "--wat"'],
  [["run", "--watch=yes", "--", "true"], "--watch does not take a value"],
  [["run", "-", "true"], 'there is no option "-"'],
  [["print", "--format", "xml"], `the formats are ${formats.join(", ")}`],
  [["print", "--format"], `the formats are ${formats.join(", ")}`],
  [["print", "--format", "--x"], `the formats are ${formats.join(", ")}`],
  [["print", "--constructor"], 'there is no option "--constructor"'],
  [["print", "x"], 'print takes no "x"'],
  [["save", "a", "b"], "save takes one file"],
  [["save", "-"], 'there is no option "-"'],
  [["print", "--only"], "--only needs names: --only A,B"],
  [["print", "--except", " , "], "--except needs names: --except A,B"],
  [["print", "--revision"], "--revision needs a number: --revision 12"],
  [["print", "--revision", "1e3"], "--revision needs a number: --revision 12"],
  [["save", "--revision", "0"], "--revision needs a number: --revision 12"],
  [["run", "--revision=-1", "--", "true"], "--revision needs a number: --revision 12"],
  [["run", "--watch", "--revision", "3", "--", "true"], "--watch follows the current revision: leave --revision out"],
  [["run", "--only", "--", "true"], "--only needs names: --only A,B"],
  [["run", "--force", "--", "true"], 'there is no option "--force"'],
  [["print", "--force"], 'there is no option "--force"'],
  [["print", "--name", "app"], "--name is for --format k8s"],
  [["save", "--format", "yaml", "--namespace", "app"], "--namespace is for --format k8s"],
  ...["", "App", "a_b", "-a", "a-", "a..b", "a\nb", "a".repeat(254)].map((name): [string[], string] => [
    ["print", "--format", "k8s", "--name", name],
    secretRule,
  ]),
  ...["", "a.b", "a".repeat(64)].map((name): [string[], string] => [
    ["print", "--format", "k8s", "--namespace", name],
    namespaceRule,
  ]),
  [["help", "nonsense"], 'there is no command "nonsense"'],
  [["get"], "get needs a name: envkeep get NAME"],
  [["set"], "set needs a name: envkeep set NAME"],
  [["set", "A", "B"], "set takes NAME=value, or one NAME whose value it reads from standard input"],
  [["set", "=x"], "set takes NAME=value, or one NAME whose value it reads from standard input"],
  [["unset"], "unset needs a name: envkeep unset NAME"],
  [["push", "a", "b"], "push takes one file"],
  [["push", "--expect-revision", "x"], "--expect-revision needs a number: --expect-revision 12"],
  [["pull", "a", "b"], "pull takes one file"],
  [["diff", "a", "b", "c"], "diff takes two sides"],
  [["diff", "a", "--from", "1"], "--from and --to compare revisions: leave the sides out"],
  [["diff", "--to", "1"], "--to needs --from"],
  [["diff", ""], "a side of diff is empty"],
  [["diff", "a", ""], "a side of diff is empty"],
  [["rollback"], "rollback needs a revision: envkeep rollback 12"],
  [["completion"], "completion needs a shell: bash, zsh or fish"],
  [["completion", "constructor"], "completion needs a shell: bash, zsh or fish"],
  [["login", "envkeep.example.com"], "the server's address must start with http:// or https://"],
  [["whoami", "x"], 'whoami takes no "x"'],
  [["set", "API=ept_secret"], keyGiven],
  [["check", "x"], 'check takes no "x"'],
  [["check", "--wat"], 'there is no option "--wat"'],
  [["run", "--", ""], "run needs a command: envkeep run -- command"],
  [["ek_secret"], keyGiven],
  [["run", "ek_secret"], keyGiven],
  [["run", "--", "ek_secret", "node"], keyGiven],
  [["run", "ENVKEEP_KEY=ek_secret", "node"], keyGiven],
  [["run", "--ek_secret", "node"], keyGiven],
  [["print", "--key=ek_secret"], keyGiven],
  [["print", "--format", "ek_secret"], keyGiven],
  [["save", "ek_secret"], keyGiven],
  [["check", "ek_secret"], keyGiven],
  [["check", "--", "--key=ek_secret"], keyGiven],
  [["check", "'ek_secret'"], "check takes no \"'ek_...'\""],
])("the misuse %j gets one line and a hint, with exit code 2", async (args, line) => {
  const err = `envkeep: ${line}\nhint: run envkeep --help for the commands and options\n`
  expect(await envkeep(args).ended).toEqual({ code: 2, out: "", err })
})
