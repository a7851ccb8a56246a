import { join, resolve } from "node:path"
import packageJson from "../../package.json" with { type: "json" }
import type { Config } from "../config.ts"
import { sqliteFile } from "../db/open.ts"
import { rootKeyFile } from "../keys/root-key.ts"
import { addressesOf } from "./address.ts"
import { databaseName } from "./to-start-error.ts"

interface Greeting {
  config: Pick<Config, "host" | "publicUrl" | "dataDir" | "databaseUrl" | "rootKey">
  /** The one that is listened on, even if the settings leave the choice to the system. */
  port: number
  /** Where the server was at its last start, if that is known. */
  before: string | undefined
  hasAdmin: boolean
}

/** What a person who has just started the server needs to know. It holds no secret. */
export function greeting({ config, port, before, hasAdmin }: Greeting): string {
  const { dataDir, databaseUrl, rootKey } = config
  const [address, ...others] = addressesOf(config, port)
  const sections: [title: string, ...lines: string[]][] = [
    ["Open", address, ...others, ...moved(config, address, before)],
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

/** People still use the former address in their links, and their passkeys are for its host. */
function moved({ publicUrl }: Greeting["config"], address: string, before: string | undefined): string[] {
  if (before === undefined || before === address) return []
  const hint = publicUrl === undefined ? " Set PUBLIC_URL if people use that one." : ""
  return [`At its last start, this server was at ${before}.${hint}`]
}
