import { EnvkeepError } from "./error.ts"
import { instanceHeader } from "./instance.ts"
import { hasValidChecksum } from "./key-checksum.ts"
import { safeMessage } from "./safe-message.ts"

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
  /** Only the variables with these names. One that the environment does not have is a failure. */
  only?: readonly string[] | undefined
  /** All variables but the ones with these names. One that the environment does not have causes a warning. */
  except?: readonly string[] | undefined
  /** The variables as they were at this revision, instead of the current ones. */
  revision?: number | undefined
  /** Milliseconds for one attempt. 5,000 by default. */
  timeout?: number | undefined
  /** How often to retry when the server cannot be reached. 2 by default. */
  retries?: number | undefined
  /**
   * What the server calls this program when it shows who runs which revision, or `off` to say nothing. `ENVKEEP_INSTANCE`
   * by default, or else the name of the host.
   */
  instance?: string | undefined
  /** Keeps the last good answer for when the server cannot be reached. The file `ENVKEEP_CACHE` by default. */
  cache?: CacheOptions | undefined
  /**
   * Gets one line when a cache cannot be used, when there is nothing to leave out, or when a watch misses a variable of
   * `only`. Written to standard error by default.
   */
  warn?: ((line: string) => void) | undefined
}

export interface Settings {
  url: string
  key: string
  only: readonly string[] | undefined
  except: readonly string[]
  revision: number | undefined
  timeoutMs: number
  retries: number
  /** Undefined if it is switched off. */
  instance: string | undefined
  cache: { file: string; maxStaleMs: number } | undefined
  warn: (line: string) => void
  /** A watch that receives nothing for this long is dead: the server sends a heartbeat every 15 seconds. */
  silenceTimeoutMs: number
}

const dayMs = 86_400_000
/** A longer timer fires at once. */
const maxTimerMs = 2 ** 31 - 1

export function readSettings(options: Options): Settings {
  return {
    url: readUrl(options.url ?? process.env["ENVKEEP_URL"]),
    key: readKey(options.key ?? process.env["ENVKEEP_KEY"]),
    only: checked(options.only, (only) => only === undefined || isNames(only), "only must be a list of names"),
    except: checked(options.except ?? [], isNames, "except must be a list of names"),
    revision: checked(options.revision, isRevision, "revision must be a whole number, 1 or more"),
    timeoutMs: checked(options.timeout ?? 5_000, isTimeout, `timeout must be a whole number from 1 to ${maxTimerMs}`),
    retries: checked(options.retries ?? 2, isCount, "retries must be a whole number, 0 or more"),
    instance: instanceHeader(options.instance),
    cache: readCacheOptions(options.cache),
    warn: checked(options.warn ?? printWarning, (warn) => typeof warn === "function", "warn must be a function"),
    silenceTimeoutMs: 45_000,
  }
}

/** JavaScript and the environment can pass anything, and a comparison with NaN is never true. */
function checked<Value>(value: Value, isValid: (value: unknown) => boolean, rule: string): Value {
  if (!isValid(value)) throw new EnvkeepError("bad_option", rule)
  return value
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

function isRevision(value: unknown): boolean {
  return value === undefined || (isCount(value) && value !== 0)
}

function isTimeout(value: unknown): boolean {
  return isCount(value) && value !== 0 && Number(value) <= maxTimerMs
}

/** Infinity is an age too: then an answer of any age is used. */
function isAge(value: unknown): boolean {
  return typeof value === "number" && value >= 0
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === "string")
}

function printWarning(line: string): void {
  process.stderr.write(`envkeep: ${safeMessage(line)}\n`)
}

function readUrl(given: string | undefined): string {
  const text = given && String(given)
  if (!text) throw new EnvkeepError("no_url", "No server given: set ENVKEEP_URL")
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new EnvkeepError("no_url", "ENVKEEP_URL must start with http:// or https://")
  }
  return url.origin + url.pathname.replace(/\/+$/, "")
}

function readKey(text: string | undefined): string {
  const key = text && String(text).trim()
  if (!key) throw new EnvkeepError("no_key", "No API key given: set ENVKEEP_KEY")
  if (!hasValidChecksum(key)) throw new EnvkeepError("bad_key", "The API key is mistyped or incomplete: copy it again")
  return key
}

function readCacheOptions(given: CacheOptions | undefined): Settings["cache"] {
  const { ENVKEEP_CACHE: file, ENVKEEP_MAX_STALE: seconds } = process.env
  if (given !== undefined) {
    checked(given?.file, (path) => typeof path === "string" && path !== "", "cache.file must be the path of a file")
    const rule = "cache.maxStale must be a number of milliseconds, 0 or more"
    return { file: given.file, maxStaleMs: checked(given.maxStale ?? dayMs, isAge, rule) }
  }
  if (!file) return undefined
  const isNumber = () => /^\d+(\.\d+)?$/.test(seconds ?? "")
  if (seconds) checked(seconds, isNumber, "ENVKEEP_MAX_STALE must be a number of seconds, 0 or more")
  return { file, maxStaleMs: seconds ? Number(seconds) * 1_000 : dayMs }
}
