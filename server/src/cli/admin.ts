import { inWords } from "../backup/format.ts"
import { createDoor, type Door } from "../db/core.ts"
import { recountStoredBytes } from "../db/stored-bytes.ts"
import { inTransaction } from "../db/transaction.ts"
import { listAdmins, setAdmin } from "../features/admin/rules.ts"
import { deleteAccount, findAccount } from "../features/users/rules.ts"
import { exitCodes } from "../start/start-error.ts"
import { type CommandContext, defineCommand, MisuseError } from "./command.ts"
import { type CommandResult, success } from "./command-result.ts"

/** Makes an account an administrator, takes that back, lists them, deletes an account, or counts what all store again. */
export const adminCommand = defineCommand({
  name: "admin",
  usage: "npm run admin -- grant <email> | revoke <email> | list | delete <email> [--yes] | recount",
  options: { yes: { type: "boolean", default: false } },
  async run(context, { yes }, [verb, email, ...rest]) {
    const isWhole = (verb === "list" || verb === "recount") && email === undefined
    const isChange = (verb === "grant" || verb === "revoke") && email !== undefined && rest.length === 0
    const isDelete = verb === "delete" && email !== undefined && rest.length === 0
    if ((!isWhole && !isChange && !isDelete) || (yes && !isDelete)) throw new MisuseError()

    const store = await context.openStore()
    await context.migrate(store)
    const door = createDoor(store)
    if (isDelete) return deleteByEmail(door, email, yes ? undefined : context)
    if (verb === "recount") {
      const wrong = await inTransaction(store.db, recountStoredBytes)
      return success([
        `Counted again what each account stores: ${wrong === 1 ? "1 count was" : `${wrong} counts were`} wrong`,
      ])
    }
    if (!isChange) return success(await listAdmins(door))
    const changed = await setAdmin(door, email, verb === "grant")
    if (changed === undefined) return noAccount(email)
    return success([`${changed} is ${verb === "grant" ? "now" : "no longer"} an administrator`])
  },
})

/** With a terminal to ask at, the user confirms by typing the e-mail: what is deleted is gone. */
async function deleteByEmail(
  door: Door,
  email: string,
  terminal: Pick<CommandContext, "ask"> | undefined,
): Promise<CommandResult> {
  const account = await findAccount(door, email)
  if (account === undefined) return noAccount(email)
  const { collections, environments, items, apiKeys } = account.owned
  const what = inWords({ user: 1, collection: collections, environment: environments, item: items, api_key: apiKeys })
  if (terminal !== undefined) {
    const answer = await terminal.ask?.(`This deletes ${what} for good. Type ${account.email} to go on: `)
    if (answer === undefined) return refused("there is no terminal to confirm at: add --yes. Nothing was deleted")
    if (answer.trim() !== account.email) return refused("not confirmed. Nothing was deleted")
  }
  const outcome = await deleteAccount(door, account.id)
  if (outcome === "gone") return noAccount(email)
  if (outcome === "last administrator") {
    return refused(`${account.email} is the last administrator: make another account one first. Nothing was deleted`)
  }
  return success([`Deleted ${what}`])
}

const refused = (line: string): CommandResult => ({ exitCode: exitCodes.failure, out: [], err: [line] })

const noAccount = (email: string) => refused(`there is no account with the e-mail ${email}`)
