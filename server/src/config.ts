import { limits } from "@envkeep/contract"

export interface Config {
  port: number
  host: string
  /** The address people use, where it is known: it decides on secure cookies and on which origin is ours. */
  publicUrl: URL | undefined
  databaseUrl: string | undefined
  /** Where to listen for changes, when `databaseUrl` leads through a pooler that cannot pass them on. */
  listenUrl: string | undefined
  dataDir: string
  rootKey: Uint8Array | undefined
  admin: { email: string; password: string } | undefined
  contactUrl: string | undefined
  /** Which proxies may say whom they speak for: none, the nearest n, or these addresses. */
  trustProxy: false | number | string[]
  /** How many processes serve the port. */
  workers: number
  /** Where the metrics are served; nowhere unless asked for. */
  metrics: { host: string; port: number } | undefined
  /** For how long reads by key are answered from memory while the database is away. */
  staleReadsMs: number
  /** How long requests are still taken after SIGTERM. */
  drainSeconds: number
  logLevel: (typeof logLevels)[number]
}

const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const

/** Every fault of the settings at once, so that nobody has to start five times to find five. */
export class ConfigError extends Error {
  override name = "ConfigError"
  readonly faults: string[]

  constructor(faults: string[]) {
    super(faults.join("\n"))
    this.faults = faults
  }
}

/** The settings, by name: `docs/self-hosting.md` is held to this list by a test. */
export const settingNames = [
  "PORT",
  "HOST",
  "PUBLIC_URL",
  "DATABASE_URL",
  "ENVKEEP_DATA_DIR",
  "ENVKEEP_ROOT_KEY",
  "ENVKEEP_ADMIN_EMAIL",
  "ENVKEEP_ADMIN_PASSWORD",
  "ENVKEEP_CONTACT_URL",
  "ENVKEEP_TRUST_PROXY",
  "ENVKEEP_WORKERS",
  "ENVKEEP_METRICS_PORT",
  "ENVKEEP_METRICS_HOST",
  "ENVKEEP_STALE_READS",
  "ENVKEEP_LISTEN_URL",
  "ENVKEEP_DRAIN_SECONDS",
  "LOG_LEVEL",
] as const

/** Reads the settings. A setting that is empty counts as absent, since compose files pass absent ones on as empty. */
export function readConfig(env: Record<string, string | undefined>): Config {
  const faults: string[] = []
  const setting = <Value>(name: (typeof settingNames)[number], read: (text: string) => Value): Value | undefined => {
    const text = env[name]?.trim()
    if (!text) return undefined
    try {
      return read(text)
    } catch (fault) {
      faults.push(`${name} ${(fault as Error).message}`)
      return undefined
    }
  }

  const adminEmail = setting("ENVKEEP_ADMIN_EMAIL", email)
  // Not trimmed: every character of a password counts.
  const adminPassword = env["ENVKEEP_ADMIN_PASSWORD"]
    ? setting("ENVKEEP_ADMIN_PASSWORD", () => password(env))
    : undefined
  if (Boolean(env["ENVKEEP_ADMIN_EMAIL"]?.trim()) !== Boolean(env["ENVKEEP_ADMIN_PASSWORD"]?.trim())) {
    faults.push("ENVKEEP_ADMIN_EMAIL and ENVKEEP_ADMIN_PASSWORD must be set together")
  }
  const metricsPort = setting("ENVKEEP_METRICS_PORT", realPort)
  const metricsHost = setting("ENVKEEP_METRICS_HOST", host) ?? "127.0.0.1"
  const config: Config = {
    port: setting("PORT", port) ?? 3000,
    host: setting("HOST", host) ?? "127.0.0.1",
    publicUrl: setting("PUBLIC_URL", publicUrl),
    databaseUrl: setting("DATABASE_URL", databaseUrl),
    listenUrl: setting("ENVKEEP_LISTEN_URL", databaseUrl),
    dataDir: setting("ENVKEEP_DATA_DIR", (text) => text) ?? "./data",
    rootKey: setting("ENVKEEP_ROOT_KEY", parseRootKey),
    admin: adminEmail && adminPassword ? { email: adminEmail, password: adminPassword } : undefined,
    contactUrl: setting("ENVKEEP_CONTACT_URL", contactUrl),
    trustProxy: setting("ENVKEEP_TRUST_PROXY", trustProxy) ?? false,
    workers: setting("ENVKEEP_WORKERS", workers) ?? 1,
    metrics: metricsPort === undefined ? undefined : { host: metricsHost, port: metricsPort },
    staleReadsMs: (setting("ENVKEEP_STALE_READS", staleReads) ?? 300) * 1_000,
    drainSeconds: setting("ENVKEEP_DRAIN_SECONDS", drainSeconds) ?? 2,
    logLevel: setting("LOG_LEVEL", logLevel) ?? "info",
  }
  if (faults.length > 0) throw new ConfigError(faults)
  return config
}

/** 32 bytes, as 64 hexadecimal digits or in base64. */
export function parseRootKey(text: string): Uint8Array {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, "hex")
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return Buffer.from(text, "base64")
  throw new Error("must be 32 bytes, written as 64 hexadecimal digits or in base64")
}

function port(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw new Error("must be a port number from 0 to 65535")
}

function realPort(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw new Error("must be a port number from 1 to 65535")
}

function host(text: string): string {
  if (/^[\w.:%-]+$/.test(text)) return text
  throw new Error("must be a host name or an address, such as 127.0.0.1 or 0.0.0.0")
}

function publicUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && /^https?:$/.test(url.protocol) && url.pathname === "/" && !url.search && !url.username) return url
  throw new Error("must be the address people use, without a path, such as https://env.example.com")
}

function databaseUrl(text: string): string {
  if (URL.canParse(text) && /^postgres(ql)?:$/.test(new URL(text).protocol)) return text
  throw new Error("must be a PostgreSQL address, such as postgres://user:password@host:5432/envkeep")
}

function email(text: string): string {
  if (/^[^\s@]+@[^\s@]+$/.test(text) && text.length <= limits.email) return text
  throw new Error("must be an e-mail address")
}

function password(env: Record<string, string | undefined>): string {
  const text = env["ENVKEEP_ADMIN_PASSWORD"] ?? ""
  if (text.length >= limits.passwordMin && text.length <= limits.passwordMax) return text
  throw new Error(`must have ${limits.passwordMin} to ${limits.passwordMax} characters`)
}

function contactUrl(text: string): string {
  if (URL.canParse(text) && /^(https?|mailto):$/.test(new URL(text).protocol)) return text
  throw new Error("must be a web address or a mailto: address")
}

function trustProxy(text: string): false | number | string[] {
  if (text === "false" || text === "0") return false
  if (text === "true") return 1
  if (/^\d$/.test(text)) return Number(text)
  const addresses = text.split(",").map((address) => address.trim())
  if (addresses.every((address) => /^[0-9a-fA-F.:]+(\/\d{1,3})?$/.test(address) && /[.:]/.test(address)))
    return addresses
  throw new Error("must be true, false, the number of proxies, or their addresses separated by commas")
}

function workers(text: string): number {
  if (/^\d{1,2}$/.test(text) && Number(text) >= 1 && Number(text) <= 64) return Number(text)
  throw new Error("must be a number of processes from 1 to 64")
}

function staleReads(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 86_400) return Number(text)
  throw new Error("must be a number of seconds from 0 to 86400")
}

function drainSeconds(text: string): number {
  if (/^\d{1,3}$/.test(text) && Number(text) <= 300) return Number(text)
  throw new Error("must be a number of seconds from 0 to 300")
}

function logLevel(text: string): Config["logLevel"] {
  const level = logLevels.find((one) => one === text)
  if (level !== undefined) return level
  throw new Error(`must be one of ${logLevels.join(", ")}`)
}
