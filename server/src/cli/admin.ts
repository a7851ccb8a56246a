import { createDoor } from "../db/core.ts"
import { listAdmins, setAdmin } from "../features/admin/rules.ts"
import { exitCodes } from "../start/start-error.ts"
import { defineCommand, MisuseError } from "./command.ts"
import { success } from "./command-result.ts"

/** Makes an account an administrator, takes that back, or lists the administrators. */
export const adminCommand = defineCommand({
  name: "admin",
  usage: "npm run admin -- grant <email> | revoke <email> | list",
  options: {},
  async run(context, _, [verb, email, ...rest]) {
    const isList = verb === "list" && email === undefined
    const isChange = (verb === "grant" || verb === "revoke") && email !== undefined && rest.length === 0
    if (!isList && !isChange) throw new MisuseError()

    const store = await context.openStore()
    await context.migrate(store)
    const door = createDoor(store)
    if (!isChange) return success(await listAdmins(door))
    const changed = await setAdmin(door, email, verb === "grant")
    if (changed === undefined) {
      return { exitCode: exitCodes.failure, out: [], err: [`there is no account with the e-mail ${email}`] }
    }
    return success([`${changed} is ${verb === "grant" ? "now" : "no longer"} an administrator`])
  },
})
