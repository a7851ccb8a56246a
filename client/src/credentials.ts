import { promises as fs } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { writeLocalFile } from "./local-file.ts"
import { CommandError, printMessage } from "./messages.ts"

// The tokens of this machine's logins, one per server, in the user's configuration folder. Only the user can read them.

export interface Login {
  url: string
  token: string
  /** Who logged in, for messages. */
  username: string
}

/** The last login comes last. */
interface Stored {
  logins: Login[]
}

export function configFolder(): string {
  const { XDG_CONFIG_HOME, APPDATA } = process.env
  if (process.platform === "win32" && APPDATA) return join(APPDATA, "envkeep")
  return join(XDG_CONFIG_HOME || join(homedir(), ".config"), "envkeep")
}

function loginsFile(): string {
  return join(configFolder(), "logins.json")
}

export async function readLogins(): Promise<Login[]> {
  const file = loginsFile()
  let text: string
  try {
    await repairMode(file)
    text = await fs.readFile(file, "utf8")
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return []
    throw error
  }
  try {
    const { logins }: Stored = JSON.parse(text)
    const isLogin = ({ url, token, username }: Login) => [url, token, username].every((one) => typeof one === "string")
    if (logins.every(isLogin)) return logins
  } catch {
    // It is not JSON.
  }
  throw new CommandError(`${file} is damaged`, "delete it, and log in again")
}

/** A file that others can read is no longer a secret, so its user should know. */
async function repairMode(file: string): Promise<void> {
  if (process.platform === "win32") return
  const { mode } = await fs.stat(file)
  if ((mode & 0o077) === 0) return
  await fs.chmod(file, 0o600)
  printMessage(
    `other users of this machine could read ${file}: it is closed now`,
    "if they may have read it, run envkeep logout and log in again",
  )
}

/** Replaces the login at the same server. */
export async function addLogin(login: Login): Promise<void> {
  await writeLogins([...(await readLogins()).filter(({ url }) => url !== login.url), login])
}

export async function removeLogin(url: string): Promise<void> {
  await writeLogins((await readLogins()).filter((login) => login.url !== url))
}

async function writeLogins(logins: Login[]): Promise<void> {
  await fs.mkdir(configFolder(), { recursive: true, mode: 0o700 })
  const stored: Stored = { logins }
  await writeLocalFile(loginsFile(), `${JSON.stringify(stored, null, 2)}\n`)
}
