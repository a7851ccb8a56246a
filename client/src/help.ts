import { formatNames } from "@envkeep/formats"
import type { Command, Option } from "./command.ts"
import { commands } from "./commands/all.ts"
import { version } from "./version.ts"

const groups: Record<Command["group"], string> = {
  programs: "With an API key or a login",
  account: "Log in, choose an environment",
  values: "Read and change variables",
  files: "Files",
  tools: "Tools",
}

export const settings: readonly [name: string, text: string][] = [
  ["ENVKEEP_URL", "the server, such as https://envkeep.example.com"],
  ["ENVKEEP_KEY", "the API key of one environment; it wins over a login"],
  ["ENVKEEP_TOKEN", "a personal token instead of a login, for pipelines"],
  ["ENVKEEP_COLLECTION", "the collection, unless --collection says it"],
  ["ENVKEEP_ENVIRONMENT", "the environment, unless --environment says it"],
  ["ENVKEEP_CACHE", "a file for the last good values, encrypted with the key"],
  ["ENVKEEP_MAX_STALE", "how old these may be, in seconds (a day by default)"],
  ["ENVKEEP_INSTANCE", "the name of this program on the server, or off"],
]

/** The overview. */
export function overview(): string {
  const width = Math.max(...commands.map(({ name }) => name.length)) + 2
  const lines = Object.entries(groups).flatMap(([group, title]) => [
    `\n${title}:`,
    ...commands.filter((one) => one.group === group).map(({ name, summary }) => `  ${name.padEnd(width)}${summary}`),
  ])
  return [
    `envkeep ${version}: your environment variables, from your Envkeep server`,
    ...lines,
    "\nSettings, from the environment:",
    ...settings.map(([name, text]) => `  ${name.padEnd(21)}${text}`),
    `\nFormats: ${formatNames.join(", ")}`,
    "envkeep help COMMAND shows its manual page\n",
  ].join("\n")
}

/** The manual page of one command. */
export function manual({ name, usage, summary, details, options, examples }: Command): string {
  const width = Math.max(0, ...options.map((option) => optionWords(option).length)) + 2
  return [
    `envkeep ${name}: ${summary}\n`,
    `  envkeep ${name}${options.length === 0 ? "" : " [options]"}${usage === "" ? "" : ` ${usage}`}\n`,
    ...details.map((text) => `${wrap(text)}\n`),
    ...(options.length === 0 ? [] : ["Options:"]),
    ...options.map((option) => `  ${optionWords(option).padEnd(width)}${option.text}`),
    "\nExamples:",
    ...examples.map(({ line, what }) => `  ${line}\n      ${what}`),
    "",
  ].join("\n")
}

export function optionWords({ name, short, value }: Option): string {
  return `${short === undefined ? "" : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`
}

function wrap(text: string): string {
  const lines = [""]
  for (const word of text.split(" ")) {
    const last = lines.at(-1) ?? ""
    if (last !== "" && last.length + word.length >= 78) lines.push(word)
    else lines[lines.length - 1] = last === "" ? word : `${last} ${word}`
  }
  return lines.join("\n")
}
