import { findNodes } from "@envkeep/testing/machine/nodes.ts"
import { parse } from "../src/index.ts"
import type { Consumer } from "./consumer.ts"
import { docker } from "./docker.ts"
import { dotenvPackage, fastDotenvPackage, nodeEnvFile } from "./dotenv-readers.ts"
import { python, shells } from "./shells.ts"
import { systemdGrammar, systemdParser } from "./systemd.ts"
import { secret, yamlParsers } from "./yaml.ts"

export type { Consumer } from "./consumer.ts"

/** Our own readers, held to what they print. */
const own: Consumer[] = (["raw", "dotenv", "json"] as const).map((format) => ({
  name: `Envkeep reading ${format}`,
  format,
  read: (text) => {
    const { variables, faults } = parse(format, text)
    if (faults.length > 0) throw new Error(JSON.stringify(faults))
    return new Map(variables.map(({ name, value }) => [name, value]))
  },
}))

const json: Consumer = {
  name: "JSON.parse",
  format: "json",
  read: (text) => new Map(Object.entries(JSON.parse(text))),
}

/** Those that answer within this process, and can be asked thousands of times. */
export const quickConsumers: Consumer[] = [
  ...own,
  json,
  dotenvPackage,
  fastDotenvPackage,
  docker,
  systemdGrammar,
  ...yamlParsers,
  secret,
]

/** Those that are programs of their own. */
export const programs: Consumer[] = [...findNodes().map(nodeEnvFile), ...shells(), ...python(), ...systemdParser()]
