import { createStringSearch, minPatternLength } from "./string-search.ts"

// Holds every secret that a test uses and every output that could reveal one, and searches the outputs for the secrets.
// Each way in which tests reach a server (testApp, processes, fetch, the pages of journeys) registers both, so that a test
// needs no code for it.

const maxSearchedLength = 32

let secrets = createStringSearch<string>()
let outputs: { source: string; text: string }[] = []

/** For the next file of tests in the same process: its outputs may have what was a secret in the last one. */
export function forgetSecrets(): void {
  secrets = createStringSearch()
  outputs = []
}

/**
 * From now on this secret must not appear in an output, neither as it is nor as JSON and URLs spell it. Only the beginning
 * of a long secret is searched for, so that a secret that was cut off is found too. Very short secrets and plain words are
 * ignored: they appear by chance.
 */
export function registerSecret(kind: string, secret: string): void {
  if (secret.length < minPatternLength || /^[a-z]{0,15}$/i.test(secret) || !secret.isWellFormed()) return
  const beginning = secret.slice(0, maxSearchedLength).replace(/[\ud800-\udbff]$/, "")
  secrets.add(beginning, kind)
  secrets.add(JSON.stringify(beginning).slice(1, -1), kind)
  secrets.add(encodeURIComponent(beginning), kind)
}

const secretFields = new Map([
  ["password", "a password"],
  ["password2", "a password"],
  ["oldPassword", "a password"],
  ["value", "a value"],
  ["key", "an API key"],
  ["token", "a token"],
  ["secret", "a secret"],
])

/** Registers the secrets in a body, a list of items or an answer. Not recursive, since a body may be very deep. */
export function registerSecretsIn(body: unknown): void {
  const remaining = [body]
  for (let one = remaining.pop(); one !== undefined; one = remaining.pop()) {
    if (typeof one !== "object" || one === null) continue
    for (const [field, content] of Object.entries(one)) {
      if (field === "recoveryCodes" && Array.isArray(content)) registerRecoveryCodes(content)
      const kind = secretFields.get(field)
      if (kind !== undefined && typeof content === "string") registerSecret(kind, content)
      else if (typeof content === "object" && content !== null) remaining.push(content)
    }
  }
}

/** With and without the hyphens, since people type them either way. */
function registerRecoveryCodes(codes: unknown[]): void {
  for (const code of codes.map(String)) {
    registerSecret("a recovery code", code)
    registerSecret("a recovery code", code.replaceAll("-", ""))
  }
}

export function registerSecretsInJson(text: string): void {
  try {
    registerSecretsIn(JSON.parse(text))
  } catch {
    // Not JSON, so the server takes no secret from it.
  }
}

/** Registers the values of a Cookie header, or of the first part of a Set-Cookie header. */
export function registerCookies(header: string): void {
  for (const cookie of header.split(/[;,]/)) registerSecret("a cookie", cookie.slice(cookie.indexOf("=") + 1).trim())
}

export function registerBearerToken(header: string): void {
  registerSecret("an API key", header.replace(/^bearer\s+/i, ""))
}

/** Registers the secrets in the environment variables of a server process. */
export function registerSettings(env: Record<string, string | undefined>): void {
  registerSecret("the root key", env["ENVKEEP_ROOT_KEY"] ?? "")
  registerSecret("the administrator's password", env["ENVKEEP_ADMIN_PASSWORD"] ?? "")
  for (const [name, value = ""] of Object.entries(env)) {
    if (name.endsWith("_CLIENT_SECRET")) registerSecret("the secret of a sign-in provider's client", value)
  }
  if (env["SMTP_URL"]) registerSecret("the mail server's password", new URL(env["SMTP_URL"]).password)
  if (env["DATABASE_URL"]) registerSecret("the database's password", new URL(env["DATABASE_URL"]).password)
}

export const urlSource = "a URL"
export const logSource = "the log"

/** Records text that people other than the owner of a secret may see. */
export function recordOutput(source: string, text: string): void {
  outputs.push({ source, text })
}

/** For a test that itself puts secrets into URLs: drops the URLs recorded so far. */
export function ignoreUrls(): void {
  outputs = outputs.filter(({ source }) => source !== urlSource)
}

/** For tests that send random data, where one request's name can be another's value: drops all outputs but the log. */
export function checkOnlyLogs(): void {
  outputs = outputs.filter(({ source }) => source === logSource)
}

/** A listener for the chunks of a stream. It records whole lines, since a secret may be split across two chunks. */
export function recordLines(source: string): (chunk: unknown) => void {
  let rest = ""
  return (chunk) => {
    const lines = (rest + String(chunk)).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) recordOutput(source, line)
  }
}

/** The leaks in the outputs recorded since the last call, one sentence each. The sentence does not repeat the secret. */
export function findLeaks(): string[] {
  const found = outputs.flatMap(({ source, text }) =>
    secrets
      .findIn(text)
      .map(({ tag: kind, at }) => `${kind} is in ${source}, after "${text.slice(Math.max(0, at - 24), at)}"`),
  )
  outputs = []
  return [...new Set(found)]
}
