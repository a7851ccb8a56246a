import { networkInterfaces } from "node:os"
import { join, resolve } from "node:path"
import packageJson from "../../package.json" with { type: "json" }
import type { Config } from "../config.ts"
import { sqliteFile } from "../db/open.ts"
import { rootKeyFile } from "../keys/root-key.ts"
import { databaseName } from "./to-start-error.ts"

interface Greeting {
  config: Pick<Config, "host" | "publicUrl" | "dataDir" | "databaseUrl" | "rootKey">
  /** The one that is listened on, even if the settings leave the choice to the system. */
  port: number
  hasAdmin: boolean
}

/** What a person who has just started the server needs to know. It holds no secret. */
export function greeting({ config, port, hasAdmin }: Greeting): string {
  const { publicUrl, dataDir, databaseUrl, rootKey } = config
  const [address = "", ...others] = publicUrl === undefined ? addresses(config.host, port) : [publicUrl.origin]
  const sections: [title: string, ...lines: string[]][] = [
    ["Open", address, ...others],
    ["Data", databaseUrl === undefined ? resolve(dataDir, sqliteFile) : `PostgreSQL at ${databaseName(databaseUrl)}`],
    [
      "Root key",
      rootKey === undefined ? resolve(dataDir, rootKeyFile) : "in the setting ENVKEEP_ROOT_KEY",
      "Back it up, apart from the data: without it, no value can be read.",
    ],
  ]
  if (!hasAdmin) {
    sections.push([
      "First admin",
      `Register at ${address}/register, then run, with the same settings:`,
      "npm run admin -- grant <your e-mail>",
      "Or set ENVKEEP_ADMIN_EMAIL and ENVKEEP_ADMIN_PASSWORD, and start again.",
    ])
  }
  sections.push(["Read on", `${join("docs", "self-hosting.md")}: settings, backups, PostgreSQL, TLS`])

  const body = sections.flatMap(([title, ...lines]) =>
    lines.map((line, index) => `  ${(index === 0 ? title : "").padEnd(13)}${line}`),
  )
  return [`\nEnvkeep ${packageJson.version} is running. Ctrl-C stops it.\n`, ...body, "", ""].join("\n")
}

/** The addresses to type into a browser, this machine's own name first. */
function addresses(host: string, port: number): string[] {
  const isEvery = host === "0.0.0.0" || host === "::"
  if (!isEvery) {
    const isThisMachine = ["127.0.0.1", "::1", "localhost"].includes(host)
    return [urlOf(isThisMachine ? "localhost" : host, port)]
  }
  const outside = Object.values(networkInterfaces()).flatMap((found = []) =>
    found.filter(({ internal, family }) => !internal && family === "IPv4").map(({ address }) => address),
  )
  return ["localhost", ...outside].map((name) => urlOf(name, port))
}

function urlOf(host: string, port: number): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`
}
