import type { NodeBinary } from "@envkeep/testing/machine/nodes.ts"
import { parse } from "dotenv"
import { type Consumer, output, withFile } from "./consumer.ts"

export const dotenvPackage: Consumer = {
  name: "dotenv",
  format: "dotenv",
  read: (text) => new Map(Object.entries(parse(text))),
}

/** dotenv 18 has a second parser behind an option. */
export const fastDotenvPackage: Consumer = {
  name: "dotenv with its fast parser",
  format: "dotenv",
  read: (text) => new Map(Object.entries(parse(text, { fast: true }))),
}

export function nodeEnvFile({ path, version }: NodeBinary): Consumer {
  const program = "process.stdout.write(JSON.stringify(Object.entries(process.env)))"
  return {
    name: `node --env-file, Node ${version}`,
    format: "dotenv",
    read: (text) => withFile(text, (file) => new Map(JSON.parse(output(path, [`--env-file=${file}`, "-e", program])))),
  }
}
