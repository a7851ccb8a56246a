import { EnvkeepError } from "./error.ts"
import { isWholeKey } from "./key.ts"

export interface CacheOptions {
  /** Where the last good answer is kept, encrypted under the API key. */
  file: string
  /** How old it may be when the server cannot be reached, in milliseconds; a day unless told otherwise. */
  maxStale?: number | undefined
}

export interface Options {
  /** The server's address; `ENVKEEP_URL` unless given. */
  url?: string | undefined
  /** The API key; `ENVKEEP_KEY` unless given. */
  key?: string | undefined
  /** Milliseconds for one try; 5,000 unless given. */
  timeout?: number | undefined
  /** How often to try again when the server cannot be reached; 2 unless given. */
  retries?: number | undefined
  /** Keeps the last good answer for when the server cannot be reached; `ENVKEEP_CACHE` names a file unless given. */
  cache?: CacheOptions | undefined
  /** Hears in one line why a cache was of no use; standard error unless given. */
  warn?: ((line: string) => void) | undefined
}

export interface Settings {
  url: string
  key: string
  timeout: number
  retries: number
  cache: { file: string; maxStale: number } | undefined
  warn: (line: string) => void
  /** A watch that hears nothing for so long is dead: the server's heart beats every 15 seconds. */
  silence: number
}

const day = 86_400_000

export function readSettings(options: Options): Settings {
  return {
    url: readUrl(options.url ?? process.env["ENVKEEP_URL"]),
    key: readKey(options.key ?? process.env["ENVKEEP_KEY"]),
    timeout: options.timeout ?? 5_000,
    retries: options.retries ?? 2,
    cache: readCacheOptions(options.cache),
    warn: options.warn ?? ((line) => process.stderr.write(`envkeep: ${line}\n`)),
    silence: 45_000,
  }
}

function readUrl(text: string | undefined): string {
  if (!text) throw new EnvkeepError("no_url", "There is no server to ask: set ENVKEEP_URL")
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new EnvkeepError("no_url", "ENVKEEP_URL is no address that begins with http:// or https://")
  }
  return url.origin + url.pathname.replace(/\/+$/, "")
}

function readKey(text: string | undefined): string {
  const key = text?.trim()
  if (!key) throw new EnvkeepError("no_key", "There is no API key: set ENVKEEP_KEY")
  if (!isWholeKey(key)) throw new EnvkeepError("bad_key", "The API key is mistyped or incomplete: copy it again")
  return key
}

function readCacheOptions(given: CacheOptions | undefined): Settings["cache"] {
  const { ENVKEEP_CACHE: file, ENVKEEP_MAX_STALE: seconds } = process.env
  if (given !== undefined) return { file: given.file, maxStale: given.maxStale ?? day }
  if (!file) return undefined
  // A bound that cannot be read is no reason to trust an old answer.
  return { file, maxStale: seconds ? Number(seconds) * 1_000 || 0 : day }
}
