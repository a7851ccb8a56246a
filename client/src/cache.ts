import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto"
import { constants, promises as fs } from "node:fs"
import type { Variable } from "@envkeep/formats"
import type { Settings } from "./settings.ts"
import { writeFile } from "./write-file.ts"

/** An environment as it was at one revision. */
export interface Snapshot {
  variables: Variable[]
  revision: number
  damaged: string[]
  source: "live" | "cache"
  /** When the cache was written, in milliseconds since 1970. */
  savedAt?: number
}

// The file is a header, 16 bytes of salt, 12 of nonce, 16 of tag, then the encrypted text. Salt and nonce are new each
// time, and the header is authenticated too. Without the API key the file is useless.

const header = Buffer.from("envkeep cache 1\n")
const saltEnd = header.length + 16
const nonceEnd = saltEnd + 12
const tagEnd = nonceEnd + 16

interface CacheEntry {
  url: string
  savedAt: number
  /** The revision that was asked for. Without it, the snapshot was the current one. */
  pinned?: number | undefined
  snapshot: Snapshot
}

/** Neither an answer nor a file is trusted. With a NUL or an equals sign, a program would get other variables. */
export function isSnapshot(given: Record<"variables" | "revision" | "damaged", unknown>): given is Snapshot {
  const { variables, revision, damaged } = given as Snapshot
  const isText = (text: unknown) => typeof text === "string" && !text.includes("\0")
  const isName = (name: string) => isText(name) && /^[^=]+$/.test(name)
  const isVariable = ({ name, value }: Variable) => isName(name) && isText(value)
  return Number.isSafeInteger(revision) && variables.every(isVariable) && damaged.every(isName)
}

/** A cache that cannot be written causes a warning, not a failure. */
export async function writeCache(settings: Settings, snapshot: Snapshot): Promise<void> {
  const [file] = filesFor(settings)
  if (file === undefined) return
  try {
    const entry: CacheEntry = { url: settings.url, savedAt: Date.now(), pinned: settings.revision, snapshot }
    await writeFile(file, encrypt(settings.key, JSON.stringify(entry)))
  } catch (error) {
    settings.warn(`the cache ${file} could not be written: ${(error as Error).message}`)
  }
}

/**
 * To look at an earlier revision must not cost a program the current values for its next outage, so it has its own file. But
 * the current values may be of exactly that revision.
 */
function filesFor({ cache, revision }: Settings): string[] {
  if (cache === undefined) return []
  return revision === undefined ? [cache.file] : [`${cache.file}.pinned`, cache.file]
}

/** The last good answer, unless it is missing, too old, or of another key or server. */
export async function readCache(settings: Settings): Promise<Snapshot | undefined> {
  for (const file of filesFor(settings)) {
    const found = await readEntry(settings, file)
    if (found !== undefined) return found
  }
  return undefined
}

async function readEntry(settings: Settings, file: string): Promise<Snapshot | undefined> {
  let data: Buffer
  try {
    data = await readBounded(file)
  } catch {
    return undefined
  }
  const entry = decrypt(settings.key, data)
  const ignored = (why: string) => void settings.warn(`the cache ${file} ${why}: it is ignored`)
  if (entry?.url !== settings.url) return ignored("is damaged or belongs to another key or server")
  // An older revision must never pass for the current one, nor one for another.
  const { revision: wanted, cache } = settings
  const isOther = wanted === undefined ? entry.pinned !== undefined : entry.snapshot.revision !== wanted
  if (isOther) return ignored("is of another revision")
  // Clocks get set back: an entry from the future counts as stale by the same distance.
  if (!(Math.abs(Date.now() - entry.savedAt) <= (cache?.maxStaleMs ?? 0))) return ignored("is too old")
  return { ...entry.snapshot, source: "cache", savedAt: entry.savedAt }
}

/** Empty if it is not a file, or too large to be a cache. */
async function readBounded(file: string): Promise<Buffer> {
  // Larger than the file of any answer that is accepted.
  const maxFileBytes = 256 * 1024 * 1024
  // Opening a pipe waits for its other end, unless told not to. Windows does not know this flag.
  const handle = await fs.open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const info = await handle.stat()
    return info.isFile() && info.size <= maxFileBytes ? await handle.readFile() : Buffer.alloc(0)
  } finally {
    await handle.close()
  }
}

function encrypt(key: string, text: string): Buffer {
  const [salt, nonce] = [randomBytes(16), randomBytes(12)]
  const cipher = createCipheriv("aes-256-gcm", deriveKey(key, salt), nonce).setAAD(header)
  const encrypted = Buffer.concat([cipher.update(text, "utf8"), cipher.final()])
  return Buffer.concat([header, salt, nonce, cipher.getAuthTag(), encrypted])
}

function decrypt(key: string, data: Buffer): CacheEntry | undefined {
  if (data.length < tagEnd || !data.subarray(0, header.length).equals(header)) return undefined
  const cipherKey = deriveKey(key, data.subarray(header.length, saltEnd))
  const decipher = createDecipheriv("aes-256-gcm", cipherKey, data.subarray(saltEnd, nonceEnd), { authTagLength: 16 })
    .setAAD(header)
    .setAuthTag(data.subarray(nonceEnd, tagEnd))
  try {
    const text = Buffer.concat([decipher.update(data.subarray(tagEnd)), decipher.final()]).toString("utf8")
    const entry: CacheEntry = JSON.parse(text)
    return isSnapshot(entry.snapshot) ? entry : undefined
  } catch {
    return undefined
  }
}

function deriveKey(key: string, salt: Buffer): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", key, salt, "envkeep cache", 32))
}
