import { hostname } from "node:os"
import { promises as timers } from "node:timers"
import { api, type Call, repeatAfterMs, type Session } from "../api.ts"
import { openBrowser } from "../browser.ts"
import { type Command, jsonOption, serverOption } from "../command.ts"
import { addLogin, readLogins, removeLogin } from "../credentials.ts"
import type { Given } from "../given.ts"
import { CommandError, describeError, printMessage } from "../messages.ts"
import { printable, say, table, writeJson, writeOut } from "../output.ts"
import { findServer, findSession, serverUrl } from "../target.ts"

interface Begun {
  deviceCode: string
  userCode: string
  confirmPath: string
  intervalSeconds: number
}

interface Polled {
  state: "pending" | "approved" | "denied" | "expired"
  token: { token: string; scope: string } | null
}

interface User {
  username: string
  email: string
}

export const login: Command = {
  name: "login",
  group: "account",
  usage: "[server]",
  summary: "log in, confirmed in the browser",
  details: [
    "Opens the browser, where you confirm a code and choose what this machine may do. On a machine without a browser, open the printed address anywhere and type the code. No password is typed into the terminal.",
    "The result is a personal token for this machine, kept in your configuration folder, readable by you only. You can be logged in to several servers.",
  ],
  options: [serverOption],
  words: { min: 0, max: 1 },
  examples: [{ line: "envkeep login https://envkeep.example.com", what: "log in to your server" }],
  execute: logIn,
}

async function logIn(given: Given): Promise<number> {
  const [word] = given.words
  const url = word === undefined ? await findServer(given) : serverUrl(word)
  if (url === undefined) throw new CommandError("no server given", "envkeep login https://envkeep.example.com")
  const begun = await api<Begun>({ url }, loginCall("/cli/logins", { machine: machineName() }))
  const address = url + begun.confirmPath
  say(`Open ${address} and confirm the code ${printable(begun.userCode)}\n`)
  if (await openBrowser(`${address}#${encodeURIComponent(begun.userCode)}`)) printMessage("the browser should open now")
  const token = await waitForToken(url, begun)
  const { username, previous } = await keep({ url, token })
  if (previous !== undefined) await revokeIfPossible(previous)
  printMessage(`logged in to ${url} as ${printable(username)}`)
  return 0
}

/** A token that cannot be kept would stay valid without anyone to use it. */
async function keep(session: Session): Promise<{ username: string; previous: Session | undefined }> {
  try {
    const { username } = await api<User>(session, { path: "/users/me" })
    const previous = (await readLogins()).find(({ url }) => url === session.url)
    await addLogin({ ...session, username })
    return { username, previous }
  } catch (error) {
    await revokeIfPossible(session)
    throw error
  }
}

/** The machine does not use it. If this fails, it is still in the user's list of tokens. */
async function revokeIfPossible(session: Session): Promise<void> {
  await revoke(session).catch(() => undefined)
}

const maxMachineName = 60

function machineName(): string {
  return printable(hostname()).trim().slice(0, maxMachineName) || "a machine"
}

/** If its answer is lost, another login can be begun. */
function loginCall(path: string, body: unknown): Call {
  return { method: "POST", path, body, changesNothing: true }
}

/** As long as a code is valid. Counted here, because the clock of this machine may be wrong. */
const validMs = 600_000

/** Goes on while the server is away, as long as the code is valid. */
async function waitForToken(url: string, { deviceCode, intervalSeconds }: Begun): Promise<string> {
  const pauseMs = Math.min(Math.max(Number(intervalSeconds) || 2, 1), 30) * 1_000
  const endsAt = performance.now() + validMs + pauseMs
  let failure: unknown
  while (performance.now() < endsAt) {
    await timers.setTimeout(nextPollMs(failure, { pauseMs, leftMs: endsAt - performance.now() }))
    try {
      const { state, token } = await api<Polled>({ url }, loginCall("/cli/logins/poll", { deviceCode }))
      failure = undefined
      if (state === "denied") throw new CommandError("the login was denied in the browser")
      if (state === "expired") break
      if (token !== null) return token.token
    } catch (error) {
      if (repeatAfterMs(error) === undefined) throw error
      if (failure === undefined) printMessage(`${describeError(error)}: trying again`)
      failure = error
    }
  }
  throw failure ?? new CommandError("the code has expired", "run envkeep login again")
}

/** A longer timer fires at once. */
const maxTimerMs = 2 ** 31 - 1

/** As often as the server wants it, and after a failure no sooner than it asks. */
export function nextPollMs(failure: unknown, { pauseMs, leftMs }: { pauseMs: number; leftMs: number }): number {
  return Math.max(pauseMs, Math.min(repeatAfterMs(failure) ?? 0, leftMs, maxTimerMs))
}

export const logout: Command = {
  name: "logout",
  group: "account",
  usage: "[server]",
  summary: "log out, and revoke this machine's token",
  details: [
    "Revokes the token on the server, then forgets it. If the server cannot be reached, it is kept; --force forgets it all the same.",
  ],
  options: [serverOption, { name: "force", text: "forget the token even if the server cannot revoke it" }],
  words: { min: 0, max: 1 },
  examples: [{ line: "envkeep logout", what: "log out of the server in use" }],
  async execute(given) {
    const [word] = given.words
    const url = word === undefined ? await findServer(given) : serverUrl(word)
    const found = (await readLogins()).find((one) => one.url === url)
    if (url === undefined || found === undefined)
      throw new CommandError(`not logged in${url === undefined ? "" : ` to ${url}`}`)
    try {
      await revoke(found)
    } catch (error) {
      const isGone = error instanceof CommandError && "status" in error && error.status === 401
      if (!isGone && !given.has("force")) throw error
      if (!isGone) printMessage(describeError(error))
    }
    await removeLogin(url)
    printMessage(`logged out of ${url}`)
    return 0
  },
}

async function revoke({ url, token }: Session): Promise<void> {
  await api({ url, token }, { method: "DELETE", path: "/users/me/token" })
}

interface Token {
  name: string
  scope: string
  expiresAt: string | null
}

export const whoami: Command = {
  name: "whoami",
  group: "account",
  usage: "",
  summary: "show who is logged in, where, and what the token may do",
  details: ["With ENVKEEP_TOKEN, it is about that token."],
  options: [serverOption, jsonOption],
  examples: [{ line: "envkeep whoami --json", what: "for programs" }],
  async execute(given) {
    const session = await findSession(given)
    const user = await api<User | null>(session, { path: "/users/me" })
    const token = await api<Token | null>(session, { path: "/users/me/token" })
    if (user === null || token === null) throw new CommandError(`not logged in to ${session.url}`)
    const { username, email } = user
    const { name, scope, expiresAt } = token
    if (given.has("json")) return writeJson({ server: session.url, username, email, token: { name, scope, expiresAt } })
    const rows = [[session.url, `${username} (${email})`, name, scope, expiresAt?.slice(0, 10) ?? "never"]]
    return writeOut(table(["SERVER", "USER", "TOKEN", "SCOPE", "EXPIRES"], rows))
  },
}
