import { EnvkeepError } from "./error.ts"
import { hasValidChecksum } from "./key-checksum.ts"

export interface CacheOptions {
  /** Where the last good answer is kept, encrypted with the API key. */
  file: string
  /** How old it may be when the server cannot be reached, in milliseconds. A day by default. */
  maxStale?: number | undefined
}

export interface Options {
  /** The server's address. `ENVKEEP_URL` by default. */
  url?: string | undefined
  /** The API key. `ENVKEEP_KEY` by default. */
  key?: string | undefined
  /** Milliseconds for one attempt. 5,000 by default. */
  timeout?: number | undefined
  /** How often to retry when the server cannot be reached. 2 by default. */
  retries?: number | undefined
  /** Keeps the last good answer for when the server cannot be reached. The file `ENVKEEP_CACHE` by default. */
  cache?: CacheOptions | undefined
  /** Gets one line when a cache cannot be used. Written to standard error by default. */
  warn?: ((line: string) => void) | undefined
}

export interface Settings {
  url: string
  key: string
  timeoutMs: number
  retries: number
  cache: { file: string; maxStaleMs: number } | undefined
  warn: (line: string) => void
  /** A watch that receives nothing for this long is dead: the server sends a heartbeat every 15 seconds. */
  silenceTimeoutMs: number
}

const dayMs = 86_400_000

export function readSettings(options: Options): Settings {
  return {
    url: readUrl(options.url ?? process.env["ENVKEEP_URL"]),
    key: readKey(options.key ?? process.env["ENVKEEP_KEY"]),
    timeoutMs: options.timeout ?? 5_000,
    retries: options.retries ?? 2,
    cache: readCacheOptions(options.cache),
    warn: options.warn ?? ((line) => process.stderr.write(`envkeep: ${line}\n`)),
    silenceTimeoutMs: 45_000,
  }
}

function readUrl(text: string | undefined): string {
  if (!text) throw new EnvkeepError("no_url", "No server given: set ENVKEEP_URL")
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new EnvkeepError("no_url", "ENVKEEP_URL must start with http:// or https://")
  }
  return url.origin + url.pathname.replace(/\/+$/, "")
}

function readKey(text: string | undefined): string {
  const key = text?.trim()
  if (!key) throw new EnvkeepError("no_key", "No API key given: set ENVKEEP_KEY")
  if (!hasValidChecksum(key)) throw new EnvkeepError("bad_key", "The API key is mistyped or incomplete: copy it again")
  return key
}

function readCacheOptions(given: CacheOptions | undefined): Settings["cache"] {
  const { ENVKEEP_CACHE: file, ENVKEEP_MAX_STALE: seconds } = process.env
  if (given !== undefined) return { file: given.file, maxStaleMs: given.maxStale ?? dayMs }
  if (!file) return undefined
  // A limit that cannot be read counts as 0: it is no reason to trust an old answer.
  return { file, maxStaleMs: seconds ? Number(seconds) * 1_000 || 0 : dayMs }
}
