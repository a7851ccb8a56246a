import { readFileSync } from "node:fs"
import { join } from "node:path"
import { testOnce as test } from "@envkeep/testing/once.ts"
import { expect } from "vitest"
import { ConfigError, readConfig, settingNames } from "../src/config.ts"

test("without any settings, the product runs on this machine with the embedded store", () => {
  expect(readConfig({})).toEqual({
    port: 3000,
    host: "127.0.0.1",
    publicUrl: undefined,
    databaseUrl: undefined,
    listenUrl: undefined,
    dataDir: "./data",
    rootKey: undefined,
    admin: undefined,
    contactUrl: undefined,
    registration: "open",
    requireSecondFactor: "off",
    oidc: [],
    trustProxy: false,
    workers: 1,
    metrics: undefined,
    quotaBytes: 100_000_000,
    trashDays: 30,
    historyDays: 365,
    auditDays: undefined,
    staleReadsMs: 300_000,
    webhookAllow: [],
    drainSeconds: 2,
    logLevel: "info",
  })
})

test("every setting is read", () => {
  const config = readConfig({
    PORT: "8080",
    HOST: "0.0.0.0",
    PUBLIC_URL: "https://env.example.com/",
    DATABASE_URL: "postgres://u:p@db:5432/envkeep?sslmode=require",
    ENVKEEP_DATA_DIR: "/var/lib/envkeep",
    ENVKEEP_ROOT_KEY: "ab".repeat(32),
    ENVKEEP_ADMIN_EMAIL: "boss@example.com",
    ENVKEEP_ADMIN_PASSWORD: " spaces count ",
    ENVKEEP_CONTACT_URL: "mailto:help@example.com",
    ENVKEEP_TRUST_PROXY: "10.0.0.0/8, ::1",
    ENVKEEP_WORKERS: "4",
    ENVKEEP_METRICS_PORT: "9464",
    ENVKEEP_METRICS_HOST: "10.0.0.5",
    ENVKEEP_QUOTA_MB: "0",
    ENVKEEP_TRASH_DAYS: "0",
    ENVKEEP_STALE_READS: "60",
    ENVKEEP_LISTEN_URL: "postgres://u:p@direct:5432/envkeep",
    ENVKEEP_WEBHOOK_ALLOW: "10.1.0.0/16, hooks.internal,::1",
    SMTP_URL: "smtp://us%40er:p%25%2Fw@mail.example.com",
    ENVKEEP_MAIL_FROM: "Our variables <env@example.com>",
    ENVKEEP_DRAIN_SECONDS: "10",
    LOG_LEVEL: "debug",
  })
  expect(config).toMatchObject({
    port: 8080,
    host: "0.0.0.0",
    databaseUrl: "postgres://u:p@db:5432/envkeep?sslmode=require",
    dataDir: "/var/lib/envkeep",
    rootKey: Buffer.alloc(32, 0xab),
    admin: { email: "boss@example.com", password: " spaces count " },
    webhookAllow: ["10.1.0.0/16", "hooks.internal", "::1"],
    mail: {
      server: { host: "mail.example.com", port: 587, tls: "required", login: { user: "us@er", password: "p%/w" } },
      from: { name: "Our variables", address: "env@example.com" },
    },
    contactUrl: "mailto:help@example.com",
    trustProxy: ["10.0.0.0/8", "::1"],
    workers: 4,
    metrics: { host: "10.0.0.5", port: 9464 },
    quotaBytes: undefined,
    trashDays: undefined,
    staleReadsMs: 60_000,
    listenUrl: "postgres://u:p@direct:5432/envkeep",
    drainSeconds: 10,
    logLevel: "debug",
  })
  expect(config.publicUrl?.origin).toBe("https://env.example.com")
})

test("an empty setting is an absent one", () => {
  expect(readConfig({ PORT: "", DATABASE_URL: " ", ENVKEEP_ADMIN_EMAIL: "", ENVKEEP_ADMIN_PASSWORD: "" })).toEqual(
    readConfig({}),
  )
})

test("a root key may also be written in base64", () => {
  const bytes = Buffer.alloc(32, 0xfb)
  for (const text of [bytes.toString("base64"), bytes.toString("base64url"), bytes.toString("hex").toUpperCase()]) {
    expect(readConfig({ ENVKEEP_ROOT_KEY: text }).rootKey).toEqual(bytes)
  }
})

test.each([
  ["true", 1],
  ["2", 2],
  ["false", false],
  ["0", false],
  ["127.0.0.1", ["127.0.0.1"]],
])("ENVKEEP_TRUST_PROXY=%s", (text, expected) => {
  expect(readConfig({ ENVKEEP_TRUST_PROXY: text }).trustProxy).toEqual(expected)
})

test.each(["yes", "-1", "10", "1.2.3", "10.0.0.0/33", "fd00::/129", "::1, proxy.example.com", "0.0.0.0/0", "::/0"])(
  "ENVKEEP_TRUST_PROXY=%s is refused",
  (text) => {
    expect(catchConfigError({ ENVKEEP_TRUST_PROXY: text }).faults).toEqual([
      "ENVKEEP_TRUST_PROXY must be true, false, the number of proxies, or their addresses separated by commas",
    ])
  },
)

test.each([
  ["PORT", "9".repeat(400), "must be a port number from 0 to 65535"],
  ["PORT", "0x10", "must be a port number from 0 to 65535"],
  ["HOST", "::1:2::3", "must be a host name or an address, such as 127.0.0.1 or 0.0.0.0"],
  [
    "PUBLIC_URL",
    "https://env.example.com/?a=1",
    "must be the address people use, without a path, such as https://env.example.com",
  ],
  ["ENVKEEP_ADMIN_EMAIL", "a ".repeat(200), "must be an e-mail address"],
])("%s has one fault however much is wrong with it", (name, text, fault) => {
  const admin = { ENVKEEP_ADMIN_EMAIL: "boss@example.com", ENVKEEP_ADMIN_PASSWORD: "first password" }
  expect(catchConfigError({ ...admin, [name]: text }).faults).toEqual([`${name} ${fault}`])
})

test("without a contact of its own, the server names the administrator of its settings", () => {
  const contact = (email: string) =>
    readConfig({ ENVKEEP_ADMIN_EMAIL: email, ENVKEEP_ADMIN_PASSWORD: "long enough" }).contactUrl
  expect(contact("boss@example.com")).toBe("mailto:boss@example.com")
  expect(contact("a?b&c%d@example.com")).toBe("mailto:a%3Fb%26c%25d@example.com")
})

const acme = {
  PUBLIC_URL: "https://env.example.com",
  ENVKEEP_OIDC: "acme",
  ENVKEEP_OIDC_ACME_ISSUER: "https://id.acme.example/realms/one",
  ENVKEEP_OIDC_ACME_CLIENT_ID: "envkeep",
  ENVKEEP_OIDC_ACME_CLIENT_SECRET: "hunter22",
}

test("each sign-in provider has settings of its own", () => {
  const config = readConfig({
    ...acme,
    ENVKEEP_OIDC: "acme, local2",
    ENVKEEP_REGISTRATION: "invited",
    ENVKEEP_OIDC_LOCAL2_ISSUER: "http://localhost:4000",
    ENVKEEP_OIDC_LOCAL2_CLIENT_ID: "id",
    ENVKEEP_OIDC_LOCAL2_CLIENT_SECRET: "hunter23",
    ENVKEEP_OIDC_LOCAL2_LABEL: "Here",
    ENVKEEP_OIDC_LOCAL2_SCOPES: "openid groups",
    ENVKEEP_OIDC_LOCAL2_DOMAINS: "Example.com, bücher.example",
    ENVKEEP_OIDC_LOCAL2_REGISTER: "yes",
    ENVKEEP_OIDC_LOCAL2_TEAM_CLAIM: "groups",
    ENVKEEP_OIDC_LOCAL2_SECOND_FACTOR: "provider",
  })
  expect(config.oidc).toEqual([
    {
      name: "acme",
      label: "Acme",
      issuer: new URL("https://id.acme.example/realms/one"),
      clientId: "envkeep",
      clientSecret: "hunter22",
      scopes: ["openid", "email", "profile"],
      domains: [],
      mayRegister: false,
      teamClaim: undefined,
      isTwoFactors: false,
    },
    {
      name: "local2",
      label: "Here",
      issuer: new URL("http://localhost:4000"),
      clientId: "id",
      clientSecret: "hunter23",
      scopes: ["openid", "groups"],
      domains: ["example.com", "xn--bcher-kva.example"],
      mayRegister: true,
      teamClaim: "groups",
      isTwoFactors: true,
    },
  ])
  expect(readConfig(acme).oidc[0]?.mayRegister).toBe(true)
})

test("all faults of sign-in providers are listed at once, without their secrets", () => {
  const error = catchConfigError({
    ENVKEEP_OIDC: "acme,other",
    PORT: "70000",
    ENVKEEP_OIDC_ACME_ISSUER: "http://id.acme.example",
    ENVKEEP_OIDC_ACME_CLIENT_SECRET: "hunter22",
    ENVKEEP_OIDC_ACME_LABEL: "a".repeat(41),
    ENVKEEP_OIDC_ACME_SCOPES: "email",
    ENVKEEP_OIDC_ACME_DOMAINS: "@example.com",
    ENVKEEP_OIDC_ACME_REGISTER: "maybe",
    ENVKEEP_OIDC_ACME_SECOND_FACTOR: "none",
    ENVKEEP_OIDC_OTHER_CLIENT_ID: "envkeep",
    ENVKEEP_OIDC_OTHER_CLIENT_SECRET: "hunter22",
  })
  expect(error.faults).toEqual([
    "PORT must be a port number from 0 to 65535",
    "ENVKEEP_OIDC needs PUBLIC_URL",
    "ENVKEEP_OIDC_ACME_ISSUER must be the provider's https address, such as https://accounts.google.com",
    "ENVKEEP_OIDC_ACME_CLIENT_ID is missing",
    "ENVKEEP_OIDC_ACME_LABEL must have at most 40 characters",
    "ENVKEEP_OIDC_ACME_SCOPES must be words separated by spaces, with openid among them",
    "ENVKEEP_OIDC_ACME_DOMAINS must be domains separated by commas, such as example.com",
    "ENVKEEP_OIDC_ACME_REGISTER must be yes or no",
    "ENVKEEP_OIDC_ACME_SECOND_FACTOR must be own or provider",
    "ENVKEEP_OIDC_OTHER_ISSUER is missing",
  ])
  expect(error.message).not.toContain("hunter2")
  for (const names of ["Acme", "acme,acme", "acme,", "a-b", "a".repeat(33)]) {
    expect(catchConfigError({ ...acme, ENVKEEP_OIDC: names }).faults).toEqual([
      "ENVKEEP_OIDC must list different names in lower-case letters and digits, separated by commas",
    ])
  }
})

test("a mail server is reached with TLS, unless it is on this machine or the setting says otherwise", () => {
  const serverOf = (url: string) => readConfig({ SMTP_URL: url, PUBLIC_URL: "https://env.example.com" }).mail?.server
  expect(serverOf("smtps://mail.example.com")).toEqual({
    host: "mail.example.com",
    port: 465,
    tls: "always",
    login: undefined,
  })
  expect(serverOf("smtp://mail.example.com:25?tls=off")).toMatchObject({ port: 25, tls: "off" })
  for (const host of ["localhost", "127.0.0.1", "[::1]"]) {
    expect(serverOf(`smtp://${host}:1025`)).toMatchObject({ port: 1025, tls: "if offered" })
  }
  for (const host of ["localhost.example.com", "127.0.0.1.example.com", "10.0.0.1", "[::2]"]) {
    expect(serverOf(`smtp://${host}`)).toMatchObject({ port: 587, tls: "required" })
  }
  const { from } = readConfig({ SMTP_URL: "smtp://localhost", PUBLIC_URL: "https://env.example.com:8443" }).mail ?? {}
  expect(from).toEqual({ name: "Envkeep", address: "envkeep@env.example.com" })
})

test.each([
  "mail.example.com",
  "smtp://",
  "smtp://mail.example.com/path",
  "smtp://mail.example.com?tls=on",
  "smtp://mail.example.com?pool=true",
  "smtps://mail.example.com?tls=off",
  "smtp://user:50%@mail.example.com",
])("%s is refused as a mail server", (url) => {
  const { faults } = catchConfigError({ SMTP_URL: url, PUBLIC_URL: "https://env.example.com" })
  expect(faults).toEqual([expect.stringMatching(/^SMTP_URL must be a mail server/)])
})

test("a mail server needs the address that links begin with", () => {
  const { faults } = catchConfigError({ SMTP_URL: "smtp://localhost" })
  expect(faults).toEqual(["SMTP_URL needs PUBLIC_URL, because mails contain links"])
})

test("all faults are listed at once, without the secrets in them", () => {
  const env = {
    PORT: "70000",
    HOST: "not a host",
    PUBLIC_URL: "env.example.com/path",
    DATABASE_URL: "mysql://root:hunter22@db/envkeep",
    ENVKEEP_ROOT_KEY: "hunter22",
    ENVKEEP_ADMIN_PASSWORD: "hunter2",
    ENVKEEP_CONTACT_URL: "javascript:alert(1)",
    ENVKEEP_REGISTRATION: "maybe",
    ENVKEEP_TRUST_PROXY: "yes",
    ENVKEEP_WORKERS: "0",
    ENVKEEP_METRICS_PORT: "0",
    ENVKEEP_METRICS_HOST: "not a host",
    ENVKEEP_STALE_READS: "5m",
    ENVKEEP_LISTEN_URL: "http://keeper:hunter22@db/envkeep",
    ENVKEEP_WEBHOOK_ALLOW: "10.0.0.0/8, http://x",
    SMTP_URL: "http://user:hunter22@mail.example.com",
    ENVKEEP_MAIL_FROM: "env@example.com, boss@example.com",
    ENVKEEP_DRAIN_SECONDS: "301",
    LOG_LEVEL: "loud",
  }
  const error = catchConfigError(env)
  expect(error.faults).toEqual([
    "PORT must be a port number from 0 to 65535",
    "HOST must be a host name or an address, such as 127.0.0.1 or 0.0.0.0",
    "PUBLIC_URL must be the address people use, without a path, such as https://env.example.com",
    "DATABASE_URL must be a PostgreSQL address, such as postgres://user:password@host:5432/envkeep",
    "ENVKEEP_ROOT_KEY must be 32 bytes, written as 64 hexadecimal digits or in base64",
    "ENVKEEP_ADMIN_PASSWORD must have 8 to 256 characters",
    "ENVKEEP_CONTACT_URL must be a web address or a mailto: address",
    "ENVKEEP_REGISTRATION must be one of open, invited, closed",
    "ENVKEEP_TRUST_PROXY must be true, false, the number of proxies, or their addresses separated by commas",
    "ENVKEEP_WORKERS must be a number of processes from 1 to 64",
    "ENVKEEP_METRICS_PORT must be a port number from 1 to 65535",
    "ENVKEEP_METRICS_HOST must be a host name or an address, such as 127.0.0.1 or 0.0.0.0",
    "ENVKEEP_STALE_READS must be a number of seconds from 0 to 86400",
    "ENVKEEP_LISTEN_URL must be a PostgreSQL address, such as postgres://user:password@host:5432/envkeep",
    "ENVKEEP_WEBHOOK_ALLOW must be private, or addresses, ranges and host names separated by commas",
    "SMTP_URL must be a mail server, such as smtp://user:password@mail.example.com:587 or smtps://mail.example.com",
    "ENVKEEP_MAIL_FROM must be an e-mail address, such as Envkeep <env@example.com>",
    "ENVKEEP_DRAIN_SECONDS must be a number of seconds from 0 to 300",
    "LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent",
    "ENVKEEP_ADMIN_EMAIL and ENVKEEP_ADMIN_PASSWORD must be set together",
  ])
  expect(error.message).not.toContain("hunter2")
})

function catchConfigError(env: Record<string, string>): ConfigError {
  try {
    readConfig(env)
  } catch (error) {
    if (error instanceof ConfigError) return error
  }
  throw new Error("the settings were taken")
}

test("docs/self-hosting.md lists exactly the settings there are", () => {
  const guide = readFileSync(join(import.meta.dirname, "../../docs/self-hosting.md"), "utf8")
  const listed = Array.from(guide.matchAll(/^\| `([A-Z_]+)` \|/gm), (match) => match[1])
  expect(listed).toEqual([...settingNames])
})
