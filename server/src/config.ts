import { isIP } from "node:net"
import {
  hasCharacters,
  limits,
  type RegistrationMode,
  registrationModes,
  type SecondFactorMode,
  secondFactorModes,
} from "@envkeep/contract"
import { z } from "zod"
import { type OidcProvider, readProviders } from "./features/identities/settings.ts"
import { rootKeyText } from "./keys/root-key-text.ts"
import { type MailSettings, readMailAddress, readSmtpUrl } from "./mail/settings.ts"

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
  /** Who can make an account: anyone, those with an invitation, or no one. */
  registration: RegistrationMode
  /** Who must have a second factor. */
  requireSecondFactor: SecondFactorMode
  /** Where people can sign in with an account that they have elsewhere, in the order of the buttons. */
  oidc: OidcProvider[]
  /** Whose `X-Forwarded-For` to believe: none, the nearest n proxies, or proxies at these addresses. */
  trustProxy: false | number | string[]
  /** How many processes serve the port. */
  workers: number
  /** Where the metrics are served; without it, they are not. */
  metrics: { host: string; port: number } | undefined
  /** How much an account may store; without it, any amount. */
  quotaBytes: number | undefined
  /** How many days deleted collections and environments stay in the trash; without it, until they are deleted there. */
  trashDays: number | undefined
  /** How long events are kept; without it, forever. */
  auditDays: number | undefined
  /** How long an environment's revisions are kept; without it, for as long as there is room. */
  historyDays: number | undefined
  /** How long reads by key are answered from memory while the database is away. */
  staleReadsMs: number
  /** Private addresses and hosts that webhooks may reach, or the word `private` for all. */
  webhookAllow: string[]
  /** How mails are sent; without it, none are. */
  mail: MailSettings | undefined
  /** How long requests are still accepted after SIGTERM. */
  drainSeconds: number
  logLevel: (typeof logLevels)[number]
  /** JSON lines for machines, or text for people; without it, text on a terminal only. */
  logFormat: "json" | "text" | undefined
}

const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const

/** Every fault in the settings at once, so that five faults do not take five starts to find. */
export class ConfigError extends Error {
  override name = "ConfigError"
  readonly faults: string[]

  constructor(faults: string[]) {
    super(faults.join("\n"))
    this.faults = faults
  }
}

const text = z.string().trim()

function wholeNumber(what: string, { min, max }: { min: number; max: number }) {
  const fault = `must be ${what} from ${min} to ${max}`
  const number = z.number(fault).min(min, fault).max(max, fault)
  return text.regex(/^\d+$/, fault).transform(Number).pipe(number)
}

const host = text.refine(
  (value) => isIP(value) !== 0 || /^[\w.-]+$/.test(value),
  "must be a host name or an address, such as 127.0.0.1 or 0.0.0.0",
)

const publicUrlFault = "must be the address people use, without a path, such as https://env.example.com"
const publicUrl = z
  .url({ protocol: /^https?$/, error: publicUrlFault })
  .transform((value) => new URL(value))
  .refine(({ pathname, search, username }) => pathname === "/" && !search && !username, publicUrlFault)

const databaseUrl = z.url({
  protocol: /^postgres(ql)?$/,
  error: "must be a PostgreSQL address, such as postgres://user:password@host:5432/envkeep",
})

const emailFault = "must be an e-mail address"
const email = text.regex(/^[^\s@]+@[^\s@]+$/, { error: emailFault, abort: true }).max(limits.email, emailFault)

const passwordFault = `must have ${limits.passwordMin} to ${limits.passwordMax} characters`
// Not trimmed: every character of a password counts.
const password = z
  .string()
  .refine((text) => hasCharacters(text, limits.passwordMin), passwordFault)
  .max(limits.passwordMax, passwordFault)

const contactUrl = z.url({ protocol: /^(https?|mailto)$/, error: "must be a web address or a mailto: address" })

const proxyAddress = z
  .union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()])
  // Trusting every address would let any visitor claim any address.
  .refine((range) => !range.endsWith("/0"), { abort: true })

const trustProxy = text.pipe(
  z.union(
    [
      z.enum(["false", "0"]).transform(() => false as const),
      z.literal("true").transform(() => 1),
      z.string().regex(/^\d$/).transform(Number),
      text.transform((list) => list.split(",").map((one) => one.trim())).pipe(z.array(proxyAddress)),
    ],
    "must be true, false, the number of proxies, or their addresses separated by commas",
  ),
)

const receiver = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6(), z.string().regex(/^[a-z\d][\w.-]*$/i)])

const webhookAllow = text
  .transform((list) => list.split(",").map((one) => one.trim()))
  .refine(
    (list) => list.every((one) => receiver.safeParse(one).success),
    "must be private, or addresses, ranges and host names separated by commas",
  )

const smtpUrl = text.transform((value, context) => {
  const server = readSmtpUrl(value)
  if (server !== undefined) return server
  const message = "must be a mail server, such as smtp://user:password@mail.example.com:587 or smtps://mail.example.com"
  context.addIssue({ code: "custom", message })
  return z.NEVER
})

const mailFrom = text.transform((value, context) => {
  const address = readMailAddress(value)
  if (address !== undefined) return address
  context.addIssue({ code: "custom", message: "must be an e-mail address, such as Envkeep <env@example.com>" })
  return z.NEVER
})

// Each check above carries its sentence: zod's own do not say what to write instead.
const settings = z
  .object({
    PORT: wholeNumber("a port number", { min: 0, max: 65_535 }).default(3000),
    HOST: host.default("127.0.0.1"),
    PUBLIC_URL: publicUrl.optional(),
    DATABASE_URL: databaseUrl.optional(),
    ENVKEEP_DATA_DIR: text.default("./data"),
    ENVKEEP_ROOT_KEY: rootKeyText.optional(),
    ENVKEEP_ADMIN_EMAIL: email.optional(),
    ENVKEEP_ADMIN_PASSWORD: password.optional(),
    ENVKEEP_CONTACT_URL: contactUrl.optional(),
    ENVKEEP_REGISTRATION: text
      .pipe(z.enum(registrationModes, `must be one of ${registrationModes.join(", ")}`))
      .default("open"),
    ENVKEEP_REQUIRE_SECOND_FACTOR: text
      .pipe(z.enum(secondFactorModes, `must be one of ${secondFactorModes.join(", ")}`))
      .default("off"),
    // `readProviders` reads it, with the settings of each provider.
    ENVKEEP_OIDC: text.optional(),
    ENVKEEP_TRUST_PROXY: trustProxy.default(false),
    ENVKEEP_WORKERS: wholeNumber("a number of processes", { min: 1, max: 64 }).default(1),
    ENVKEEP_METRICS_PORT: wholeNumber("a port number", { min: 1, max: 65_535 }).optional(),
    ENVKEEP_METRICS_HOST: host.default("127.0.0.1"),
    ENVKEEP_QUOTA_MB: wholeNumber("a number of megabytes", { min: 0, max: 1_000_000 }).default(100),
    ENVKEEP_TRASH_DAYS: wholeNumber("a number of days", { min: 0, max: 36_500 }).default(30),
    ENVKEEP_HISTORY_DAYS: wholeNumber("a number of days", { min: 0, max: 36_500 }).default(365),
    ENVKEEP_AUDIT_DAYS: wholeNumber("a number of days", { min: 0, max: 36_500 }).default(0),
    ENVKEEP_STALE_READS: wholeNumber("a number of seconds", { min: 0, max: 86_400 }).default(300),
    ENVKEEP_LISTEN_URL: databaseUrl.optional(),
    ENVKEEP_WEBHOOK_ALLOW: webhookAllow.default([]),
    SMTP_URL: smtpUrl.optional(),
    ENVKEEP_MAIL_FROM: mailFrom.optional(),
    ENVKEEP_DRAIN_SECONDS: wholeNumber("a number of seconds", { min: 0, max: 300 }).default(2),
    LOG_FORMAT: text.pipe(z.enum(["json", "text"], "must be json or text")).optional(),
    LOG_LEVEL: text.pipe(z.enum(logLevels, `must be one of ${logLevels.join(", ")}`)).default("info"),
  })
  .refine(
    ({ ENVKEEP_ADMIN_EMAIL: email, ENVKEEP_ADMIN_PASSWORD: password }) => Boolean(email) === Boolean(password),
    // `when`: zod would otherwise leave this out as soon as any setting has a fault.
    { error: "ENVKEEP_ADMIN_EMAIL and ENVKEEP_ADMIN_PASSWORD must be set together", when: () => true },
  )

  .refine(({ SMTP_URL: server, PUBLIC_URL: publicUrl }) => server === undefined || publicUrl !== undefined, {
    error: "SMTP_URL needs PUBLIC_URL, because mails contain links",
    when: () => true,
  })

/** The settings, by name: `docs/self-hosting.md` is held to this list by a test. */
export const settingNames = settings.keyof().options

/** Reads the settings. An empty one counts as absent, because compose files pass absent ones on as empty. */
export function readConfig(env: Record<string, string | undefined>): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value?.trim()))
  const { data, error } = settings.safeParse(given)
  const { providers, faults } = readProviders(given)
  // A fault of one setting has its name as path; one of several names them itself.
  const allFaults = [...(error?.issues ?? []).map(({ path, message }) => [...path, message].join(" ")), ...faults]
  if (data === undefined || allFaults.length > 0) throw new ConfigError(allFaults)
  const { ENVKEEP_ADMIN_EMAIL: email, ENVKEEP_ADMIN_PASSWORD: password } = data
  const { ENVKEEP_METRICS_HOST: metricsHost, ENVKEEP_METRICS_PORT: metricsPort } = data
  return {
    port: data.PORT,
    host: data.HOST,
    publicUrl: data.PUBLIC_URL,
    databaseUrl: data.DATABASE_URL,
    listenUrl: data.ENVKEEP_LISTEN_URL,
    dataDir: data.ENVKEEP_DATA_DIR,
    rootKey: data.ENVKEEP_ROOT_KEY,
    admin: email && password ? { email, password } : undefined,
    contactUrl: data.ENVKEEP_CONTACT_URL ?? (email && mailTo(email)),
    registration: data.ENVKEEP_REGISTRATION,
    requireSecondFactor: data.ENVKEEP_REQUIRE_SECOND_FACTOR,
    oidc: providers.map((provider) => ({
      ...provider,
      mayRegister: provider.mayRegister ?? data.ENVKEEP_REGISTRATION === "open",
    })),
    trustProxy: data.ENVKEEP_TRUST_PROXY,
    workers: data.ENVKEEP_WORKERS,
    metrics: metricsPort === undefined ? undefined : { host: metricsHost, port: metricsPort },
    quotaBytes: data.ENVKEEP_QUOTA_MB === 0 ? undefined : data.ENVKEEP_QUOTA_MB * 1_000_000,
    trashDays: data.ENVKEEP_TRASH_DAYS === 0 ? undefined : data.ENVKEEP_TRASH_DAYS,
    auditDays: data.ENVKEEP_AUDIT_DAYS === 0 ? undefined : data.ENVKEEP_AUDIT_DAYS,
    historyDays: data.ENVKEEP_HISTORY_DAYS === 0 ? undefined : data.ENVKEEP_HISTORY_DAYS,
    staleReadsMs: data.ENVKEEP_STALE_READS * 1_000,
    webhookAllow: data.ENVKEEP_WEBHOOK_ALLOW,
    mail: mailSettings(data.SMTP_URL, data.PUBLIC_URL, data.ENVKEEP_MAIL_FROM),
    drainSeconds: data.ENVKEEP_DRAIN_SECONDS,
    logLevel: data.LOG_LEVEL,
    logFormat: data.LOG_FORMAT,
  }
}

function mailSettings(
  server: MailSettings["server"] | undefined,
  publicUrl: URL | undefined,
  from: MailSettings["from"] | undefined,
): MailSettings | undefined {
  if (server === undefined || publicUrl === undefined) return undefined
  return { server, publicUrl, from: from ?? { name: "Envkeep", address: `envkeep@${publicUrl.hostname}` } }
}

/** Other than in an address itself, `?`, `&` and `%` have a meaning in its link. */
function mailTo(email: string): string {
  return `mailto:${encodeURIComponent(email).replace("%40", "@")}`
}
