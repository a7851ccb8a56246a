import { findNodes } from "@envkeep/testing/machine/nodes.ts"
import { formats, readableFormatNames } from "../src/index.ts"
import type { Consumer } from "./consumer.ts"
import { docker } from "./docker.ts"
import { dotenvPackage, fastDotenvPackage, nodeEnvFile } from "./dotenv-readers.ts"
import { python, shells } from "./shells.ts"
import { systemdGrammar, systemdParser } from "./systemd.ts"
import { secret, yamlParsers } from "./yaml.ts"

export type { Consumer } from "./consumer.ts"

/** Our own parsers must read back what we print. */
const own: Consumer[] = readableFormatNames.map((format) => ({
  name: `Envkeep reading ${format}`,
  format,
  read: (text) => {
    const { variables, faults } = formats[format].parse(text)
    if (faults.length > 0) throw new Error(JSON.stringify(faults))
    return new Map(variables.map(({ name, value }) => [name, value]))
  },
}))

const json: Consumer = {
  name: "JSON.parse",
  format: "json",
  read: (text) => new Map(Object.entries(JSON.parse(text))),
}

/** Readers that run in this process, fast enough for thousands of reads. */
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

/** Readers that are separate programs. */
export const programs: Consumer[] = [...findNodes().map(nodeEnvFile), ...shells(), ...python(), ...systemdParser()]
