import { printDocker } from "./docker.ts"
import { printDotenv } from "./dotenv.ts"
import { parseJson, printJson } from "./json.ts"
import { printK8s } from "./k8s.ts"
import { parseDotenv } from "./parse-dotenv.ts"
import { parseRaw, printCheckedRaw } from "./raw.ts"
import { printShell } from "./shell.ts"
import { printSystemd } from "./systemd.ts"
import type { Parsed, Printed, Variable } from "./variable.ts"
import { printYaml } from "./yaml.ts"

export const formats = ["json", "raw", "dotenv", "shell", "docker", "systemd", "yaml", "k8s"] as const
export type Format = (typeof formats)[number]

export const readableFormats = ["raw", "dotenv", "json"] as const satisfies Format[]
export type ReadableFormat = (typeof readableFormats)[number]

const text = "text/plain; charset=utf-8"
const yaml = "application/yaml; charset=utf-8"

export const contentTypes: Record<Format, string> = {
  json: "application/json; charset=utf-8",
  raw: text,
  dotenv: text,
  shell: text,
  docker: text,
  systemd: text,
  yaml,
  k8s: yaml,
}

const printers: Record<Format, (variables: Variable[]) => Printed> = {
  json: (variables) => ({ text: printJson(variables) }),
  raw: printCheckedRaw,
  dotenv: printDotenv,
  shell: printShell,
  docker: printDocker,
  systemd: printSystemd,
  yaml: printYaml,
  k8s: printK8s,
}

/** The text from which the format's readers get exactly these variables, or all those that it cannot hold. */
export function print(format: Format, variables: Variable[]): Printed {
  return printers[format](variables)
}

const parsers: Record<ReadableFormat, (text: string) => Parsed> = {
  raw: (text) => ({ variables: parseRaw(text), faults: [] }),
  dotenv: parseDotenv,
  json: parseJson,
}

/** What the text says, with the number of every line that cannot be read and the reason. */
export function parse(format: ReadableFormat, text: string): Parsed {
  return parsers[format](text)
}
