import { needles, shortestNeedle } from "./needles.ts"

// Every secret that a test uses, everything that could give one away, and the search for the one in the other. The doors
// through which tests reach a server (testApp, processes, fetch, the journeys' pages) tell both; nobody has to think of it.

const longest = 32

const secrets = needles<string>()
let heard: { place: string; text: string }[] = []

/**
 * From now on this must not be seen: as it is, or as JSON and addresses spell it. Of a long one its beginning is looked
 * for, which one that was cut short has too. What is very short, or a plain word, would be found where it is no secret.
 */
export function hide(kind: string, secret: string): void {
  if (secret.length < shortestNeedle || /^[a-z]{0,15}$/i.test(secret) || !secret.isWellFormed()) return
  const begin = secret.slice(0, longest).replace(/[\ud800-\udbff]$/, "")
  secrets.add(begin, kind)
  secrets.add(JSON.stringify(begin).slice(1, -1), kind)
  secrets.add(encodeURIComponent(begin), kind)
}

const secretFields = new Map([
  ["password", "a password"],
  ["password2", "a password"],
  ["oldPassword", "a password"],
  ["value", "a value"],
  ["key", "an API key"],
])

/** The secrets in a body, a list of items or an answer; by a list of what is left, since a body may be very deep. */
export function hideIn(body: unknown): void {
  const left = [body]
  for (let one = left.pop(); one !== undefined; one = left.pop()) {
    if (typeof one !== "object" || one === null) continue
    for (const [field, content] of Object.entries(one)) {
      const kind = secretFields.get(field)
      if (kind !== undefined && typeof content === "string") hide(kind, content)
      else if (typeof content === "object" && content !== null) left.push(content)
    }
  }
}

export function hideInJson(text: string): void {
  try {
    hideIn(JSON.parse(text))
  } catch {
    // Not JSON, so nothing that a server would take a secret from.
  }
}

/** The secrets of a request's or an answer's head. */
export function hideCookies(header: string): void {
  for (const cookie of header.split(/[;,]/)) hide("a cookie", cookie.slice(cookie.indexOf("=") + 1).trim())
}

export function hideBearer(header: string): void {
  hide("an API key", header.replace(/^bearer\s+/i, ""))
}

/** What a process is told in its settings. */
export function hideSettings(env: Record<string, string | undefined>): void {
  hide("the root key", env["ENVKEEP_ROOT_KEY"] ?? "")
  hide("the administrator's password", env["ENVKEEP_ADMIN_PASSWORD"] ?? "")
  if (env["DATABASE_URL"]) hide("the database's password", new URL(env["DATABASE_URL"]).password)
}

export const anAddress = "an address"
export const theLog = "the log"

/** Something that others than its owner may get to see. */
export function hear(place: string, text: string): void {
  heard.push({ place, text })
}

/** For a test that puts secrets where they do not belong, to see what becomes of them: its own addresses do not count. */
export function addressesMayTell(): void {
  heard = heard.filter(({ place }) => place !== anAddress)
}

/** For tests that send at random, so that a name can be what elsewhere is a value: their answers and addresses do not count. */
export function onlyLogsCount(): void {
  heard = heard.filter(({ place }) => place === theLog)
}

/** A listener for a stream's pieces, which end anywhere; a secret may lie across two of them. */
export function hearLines(place: string): (piece: unknown) => void {
  let rest = ""
  return (piece) => {
    const lines = (rest + String(piece)).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) hear(place, line)
  }
}

/** What was seen since the last time, each in a sentence that does not say the secret again. */
export function findLeaks(): string[] {
  const found = heard.flatMap(({ place, text }) =>
    secrets
      .findIn(text)
      .map(({ tag: kind, at }) => `${kind} is in ${place}, after "${text.slice(Math.max(0, at - 24), at)}"`),
  )
  heard = []
  return [...new Set(found)]
}
