import { join } from "node:path"
import { commands } from "./src/commands/all.ts"
import { optionWords, settings } from "./src/help.ts"

export const docsFile = join(import.meta.dirname, "../docs/cli.md")

/** The document of all commands, from the table that the command itself is made of. */
export function cliDocs(): string {
  const rows = commands.map(({ name, summary }) => `| [${"`"}envkeep ${name}${"`"}](#envkeep-${name}) | ${summary} |`)
  const pages = commands.map(({ name, usage, summary, details, options, examples }) =>
    [
      `## envkeep ${name}`,
      `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`,
      `${"```"}sh\nenvkeep ${name}${options.length === 0 ? "" : " [options]"}${usage === "" ? "" : ` ${usage}`}\n${"```"}`,
      ...details,
      ...(options.length === 0
        ? []
        : [
            [
              "| Option | What it does |\n|---|---|",
              ...options.map((option) => `| ${"`"}${optionWords(option)}${"`"} | ${option.text} |`),
            ].join("\n"),
          ]),
      `${"```"}sh\n${examples.map(({ line, what }) => `${line}  # ${what}`).join("\n")}\n${"```"}`,
    ].join("\n\n"),
  )
  const parts = [
    "# The command `envkeep`",
    "<!-- Written by `npm run docs` from the commands in client/src/commands. -->",
    "`envkeep login https://envkeep.example.com` opens the browser, where you confirm a code. `envkeep init` then says which environment a folder uses. What changes something shows it first and asks, unless you add `--yes`. Values are masked unless you add `--show`. `--json` prints for programs. The exit code is 1 for a failure and 2 for a misuse. Colours are for terminals only, and not if `NO_COLOR` is set.",
    `| Command | What it does |\n|---|---|\n${rows.join("\n")}`,
    `## Settings\n\n| Variable | What it says |\n|---|---|\n${settings.map(([name, text]) => `| ${"`"}${name}${"`"} | ${text} |`).join("\n")}`,
    "Which server: `--server`, then `.envkeep.json`, then `ENVKEEP_URL`, then the last login. A key goes to the server of `--server` or `ENVKEEP_URL` only. Anyone who can propose a commit can change `.envkeep.json`. So `ENVKEEP_TOKEN` goes to no server that only the file names: the command fails, unless `--server`, `ENVKEEP_URL` or a login says the same one. In a pipeline, set `ENVKEEP_URL` too. Which environment: the options, then the variables, then `.envkeep.json`. Logins are in `$XDG_CONFIG_HOME/envkeep` or `~/.config/envkeep`, on Windows in `%APPDATA%\\envkeep`, readable by you only.",
    ...pages,
    "",
  ]
  return `${parts.join("\n\n").trimEnd()}\n`
}
