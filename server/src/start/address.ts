import { existsSync } from "node:fs"
import { readFile, writeFile } from "node:fs/promises"
import { networkInterfaces } from "node:os"
import { join } from "node:path"
import type { Config } from "../config.ts"
import { writeThrough } from "../db/data-folder.ts"

type AddressSettings = Pick<Config, "host" | "publicUrl">

/**
 * The address at which the server was started last. In the data folder and not in the database: without `PUBLIC_URL` each
 * node has an address of its own, and a command without the server's settings finds the data folder first.
 */
export const lastAddressFile = "last-address"

/** The addresses to type into a browser: that of `PUBLIC_URL`, or those of this machine with its own name first. */
export function addressesOf({ host, publicUrl }: AddressSettings, port: number): [string, ...string[]] {
  if (publicUrl !== undefined) return [publicUrl.origin]
  const isEvery = host === "0.0.0.0" || host === "::"
  if (!isEvery) {
    const isThisMachine = ["127.0.0.1", "::1", "localhost"].includes(host)
    return [urlOf(isThisMachine ? "localhost" : host, port)]
  }
  const outside = Object.values(networkInterfaces()).flatMap((found = []) =>
    found.filter(({ internal, family }) => !internal && family === "IPv4").map(({ address }) => address),
  )
  return [urlOf("localhost", port), ...outside.map((name) => urlOf(name, port))]
}

function urlOf(host: string, port: number): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`
}

/** Undefined if no server has left one here, or if it is no address. */
export async function readLastAddress(dataDir: string): Promise<string | undefined> {
  const text = await readFile(join(dataDir, lastAddressFile), "utf8").catch(() => "")
  const url = URL.parse(text.trim())
  return url !== null && /^https?:$/.test(url.protocol) ? url.origin : undefined
}

/**
 * Returns the address of the start before. A folder that is missing or cannot be written is no reason not to start: with
 * PostgreSQL, none is needed.
 */
export async function keepLastAddress(dataDir: string, address: string): Promise<string | undefined> {
  const before = await readLastAddress(dataDir)
  if (before === address || !existsSync(dataDir)) return before
  const file = join(dataDir, lastAddressFile)
  const line = `${address}\n`
  // Not under another name first: after a crash, half an address is no more than a wrong hint until the next start.
  const written = existsSync(file) ? writeFile(file, line) : writeThrough(file, line, [dataDir])
  await written.catch(() => undefined)
  return before
}
