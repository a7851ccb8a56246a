import { docker } from "./docker.ts"
import { dotenv } from "./dotenv.ts"
import { json } from "./json.ts"
import { k8s } from "./k8s.ts"
import { raw } from "./raw.ts"
import { shell } from "./shell.ts"
import { systemd } from "./systemd.ts"
import { yaml } from "./yaml.ts"

/** Every format, in the order in which menus and documents show them. */
const list = [json, raw, dotenv, shell, docker, systemd, yaml, k8s] as const
type Listed = (typeof list)[number]

export const formatNames = list.map((format) => format.name)
export type FormatName = (typeof formatNames)[number]

/** The formats that Envkeep can also read. */
export const readableFormatNames = list.filter((format) => "parse" in format).map((format) => format.name)
export type ReadableFormatName = (typeof readableFormatNames)[number]

export const formats = Object.fromEntries(list.map((format) => [format.name, format])) as {
  [Name in FormatName]: Extract<Listed, { name: Name }>
}
