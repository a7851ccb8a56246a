import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto"
import { promises as fs } from "node:fs"
import type { Settings } from "./settings.ts"
import type { Snapshot } from "./snapshot.ts"
import { writeFile } from "./write-file.ts"

// The file: a mark, 16 bytes of salt, 12 of nonce, 16 of tag, then the sealed text. Salt and nonce are new each time; the
// mark is sealed along. Whoever has the file without the API key has nothing.

const mark = Buffer.from("envkeep cache 1\n")
const salted = mark.length + 16
const nonced = salted + 12
const tagged = nonced + 16

interface Kept {
  url: string
  savedAt: number
  snapshot: Snapshot
}

/** A cache that cannot be written costs a line, not the answer. */
export async function writeCache(settings: Settings, snapshot: Snapshot): Promise<void> {
  if (settings.cache === undefined) return
  try {
    const kept: Kept = { url: settings.url, savedAt: Date.now(), snapshot }
    await writeFile(settings.cache.file, seal(settings.key, JSON.stringify(kept)))
  } catch (error) {
    settings.warn(`the cache ${settings.cache.file} could not be written: ${(error as Error).message}`)
  }
}

/** The last good answer, unless it is absent, too old, or not of this key and server. */
export async function readCache(settings: Settings): Promise<Snapshot | undefined> {
  if (settings.cache === undefined) return undefined
  const { file, maxStale } = settings.cache
  let data: Buffer
  try {
    data = await fs.readFile(file)
  } catch {
    return undefined
  }
  const kept = unseal(settings.key, data)
  if (kept?.url !== settings.url) {
    settings.warn(`the cache ${file} is damaged or belongs to another key or server: it is ignored`)
    return undefined
  }
  // A time to come is no fresher than the same time ago: clocks get set.
  if (Math.abs(Date.now() - kept.savedAt) > maxStale) {
    settings.warn(`the cache ${file} is too old: it is ignored`)
    return undefined
  }
  return { ...kept.snapshot, source: "cache" }
}

function seal(key: string, text: string): Buffer {
  const [salt, nonce] = [randomBytes(16), randomBytes(12)]
  const cipher = createCipheriv("aes-256-gcm", derive(key, salt), nonce).setAAD(mark)
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()])
  return Buffer.concat([mark, salt, nonce, cipher.getAuthTag(), sealed])
}

function unseal(key: string, data: Buffer): Kept | undefined {
  if (data.length < tagged || !data.subarray(0, mark.length).equals(mark)) return undefined
  const cipherKey = derive(key, data.subarray(mark.length, salted))
  const opener = createDecipheriv("aes-256-gcm", cipherKey, data.subarray(salted, nonced), { authTagLength: 16 })
    .setAAD(mark)
    .setAuthTag(data.subarray(nonced, tagged))
  try {
    return JSON.parse(Buffer.concat([opener.update(data.subarray(tagged)), opener.final()]).toString("utf8"))
  } catch {
    return undefined
  }
}

function derive(key: string, salt: Buffer): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", key, salt, "envkeep cache", 32))
}
