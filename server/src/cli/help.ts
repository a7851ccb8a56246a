import type { Command } from "./command.ts"
import { commands } from "./commands.ts"

export function isHelpOption(argument: string): boolean {
  return argument === "--help" || argument === "-h"
}

export function commandHelp({ summary, usage, help = [] }: Command): string[] {
  return [`${summary}.`, "", `usage: ${usage}`, ...help.map((line) => `  ${line}`), "", settingsHint]
}

export function overview(): string[] {
  const lines = commands.map(({ name, summary }) => `  ${`npm run ${name}`.padEnd(24)}${summary}`)
  return [
    `  ${"npm start".padEnd(24)}Starts the server`,
    ...lines,
    "",
    "`npm run <command> -- --help` says more.",
    settingsHint,
  ]
}

const settingsHint =
  "Settings are environment variables, the same for the server and all commands: docs/self-hosting.md."
