import type { Door } from "../db/core.ts"
import { listAdmins, setAdmin } from "../features/admin/rules.ts"
import { exitCodes } from "../start/start-error.ts"

export interface CommandResult {
  exitCode: number
  /** For standard output: what was asked for. */
  out: string[]
  /** For standard error: everything else. */
  err: string[]
}

export const adminUsage = "usage: npm run admin -- grant <email> | revoke <email> | list"

/** Makes an account an administrator, takes that back, or lists the administrators. */
export async function adminCommand(door: Door, [verb, email, ...rest]: string[]): Promise<CommandResult> {
  if (verb === "list" && email === undefined) return { exitCode: 0, out: await listAdmins(door), err: [] }
  if ((verb !== "grant" && verb !== "revoke") || email === undefined || rest.length > 0) {
    return { exitCode: exitCodes.misuse, out: [], err: [adminUsage] }
  }
  const changed = await setAdmin(door, email, verb === "grant")
  if (changed === undefined) {
    return { exitCode: exitCodes.failure, out: [], err: [`there is no account with the e-mail ${email}`] }
  }
  return { exitCode: 0, out: [`${changed} is ${verb === "grant" ? "now" : "no longer"} an administrator`], err: [] }
}
