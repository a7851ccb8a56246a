import type { Command } from "../command.ts"
import { Misuse, readOptions } from "../options.ts"
import { writeOut } from "../output.ts"
import { findSession, listCollections } from "../target.ts"

const scripts: Record<string, string> = {
  bash: `_envkeep() {
  COMPREPLY=()
  local line
  while IFS= read -r line; do
    COMPREPLY+=("$line")
  done < <(envkeep __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _envkeep envkeep
`,
  zsh: `#compdef envkeep
_envkeep() {
  local -a found
  found=(\${(f)"$(envkeep __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( \${#found} )); then compadd -a found; else _files; fi
}
compdef _envkeep envkeep
`,
  fish: `complete -c envkeep -a '(envkeep __complete (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
`,
}

export const completion: Command = {
  name: "completion",
  group: "tools",
  usage: "bash | zsh | fish",
  summary: "print a script that completes commands, options and names",
  details: [
    "Collections and environments are asked from the server. If it does not answer within a second, there are none.",
  ],
  options: [],
  words: { min: 1, max: 1, missing: "completion needs a shell: bash, zsh or fish" },
  examples: [
    { line: 'eval "$(envkeep completion bash)"', what: "in ~/.bashrc" },
    { line: "envkeep completion fish > ~/.config/fish/completions/envkeep.fish", what: "for fish" },
  ],
  async execute({ words: [shell = ""] }) {
    const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined
    if (script === undefined) throw new Misuse("completion needs a shell: bash, zsh or fish")
    return writeOut(script)
  },
}

/** What can stand in place of the last word, one per line. Silent about everything that fails. */
export async function complete(commands: readonly Command[], words: readonly string[]): Promise<number> {
  const current = words.at(-1) ?? ""
  const found = await candidates(commands, words).catch(() => [])
  // A shell must find nothing special in what a server sends.
  const fitting = found.filter((one) => one.startsWith(current) && /^[\w.:/@+=-]+$/.test(one))
  return writeOut(fitting.map((one) => `${one}\n`).join(""))
}

async function candidates(commands: readonly Command[], words: readonly string[]): Promise<string[]> {
  if (words.length <= 1) return [...commands.map(({ name }) => name), "help"]
  const command = commands.find(({ name }) => name === words[0])
  if (command === undefined) return words[0] === "help" ? commands.map(({ name }) => name) : []
  const before = words.at(-2) ?? ""
  const isAfter = (name: string, short: string) => before === `--${name}` || before === `-${short}`
  if (isAfter("collection", "c")) return (await asked(command, words)).map(({ name }) => name)
  if (isAfter("environment", "e") || (command.name === "diff" && !words.at(-1)?.startsWith("-"))) {
    const all = await asked(command, words)
    const at = words.findIndex((word) => word === "--collection" || word === "-c")
    const chosen = at === -1 ? undefined : words[at + 1]
    const of = all.filter(({ name, id }) => chosen === undefined || name === chosen || String(id) === chosen)
    return [...new Set(of.flatMap(({ subCollections }) => subCollections.map(({ name }) => name)))]
  }
  if (words.at(-1)?.startsWith("-")) return command.options.map(({ name }) => `--${name}`)
  if (command.name === "completion") return Object.keys(scripts)
  return command.name === "list" ? ["collections", "environments"] : []
}

const completionTimeoutMs = 1_000

async function asked(command: Command, words: readonly string[]) {
  const at = words.indexOf("--server")
  const given = readOptions({ ...command, words: { min: 0, max: 0 } }, at === -1 ? [] : words.slice(at, at + 2))
  return listCollections(await findSession(given), completionTimeoutMs)
}
