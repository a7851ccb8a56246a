import { theServer } from "../access/caller.ts"
import { recordEvent } from "../audit/record.ts"
import { inWords } from "../backup/format.ts"
import { createDoor, type Door } from "../core/core.ts"
import { recountStoredBytes } from "../core/stored-bytes.ts"
import type { OpenDatabase } from "../db/open.ts"
import { inTransaction } from "../db/transaction.ts"
import { AppError } from "../errors.ts"
import { listAdmins } from "../features/admin/rules.ts"
import { createFactorLink, factorLinkHours } from "../features/second-factors/links.ts"
import { disableAccount, enableAccount, findAccount, setAdmin } from "../features/users/administration.ts"
import { deleteInPieces, ownedWithOthers } from "../features/users/deletion/rules.ts"
import { createReset, resetLinkHours } from "../features/users/resets/rules.ts"
import { fittingRootKeys } from "../keys/root-key.ts"
import { readEvidence } from "../keys/root-key-evidence.ts"
import { vaultOf } from "../keys/vault.ts"
import { createMailQueue } from "../mail/create-queue.ts"
import { withNotices } from "../mail/notices.ts"
import { addressesOf, readLastAddress } from "../start/address.ts"
import { exitCodes } from "../start-error.ts"
import { type CommandContext, defineCommand, MisuseError } from "./command.ts"
import { type CommandResult, success } from "./command-result.ts"

type Account = NonNullable<Awaited<ReturnType<typeof findAccount>>>

interface AccountContext extends Pick<CommandContext, "config" | "ask"> {
  store: OpenDatabase
  door: Door
  isConfirmed: boolean
  withShared: boolean
}

/** What can be done with one account, which is named by its e-mail. */
const withAccount: Record<string, (account: Account, context: AccountContext) => Promise<CommandResult>> = {
  grant: makeAdmin,
  revoke: takeAdminBack,
  "reset-link": printResetLink,
  "factor-link": printFactorLink,
  disable,
  enable,
  delete: deleteForGood,
}

export const adminCommand = defineCommand({
  name: "admin",
  summary: "Changes accounts, and makes administrators. The server may keep running",
  usage: `npm run admin -- list | recount | ${Object.keys(withAccount).join("|")} <email>`,
  help: [
    "list                prints the administrators",
    "grant <email>       makes the account an administrator",
    "revoke <email>      takes that back",
    `reset-link <email>  prints a link that sets a new password, once, within ${resetLinkHours} hours`,
    `factor-link <email> prints a link to log in without a lost second factor, once, within ${factorLinkHours} hours`,
    "disable <email>     ends the account's sessions, and refuses its password and the API keys of what it shares with no one",
    "enable <email>      takes that back",
    "delete <email>      deletes the account with everything it pays for; asks first, unless --yes is given",
    "                    collections that others own too can be taken over by them; --with-shared deletes these as well",
    "recount             counts again what each account stores",
  ],
  options: { yes: { type: "boolean", default: false }, "with-shared": { type: "boolean", default: false } },
  async run(context, { yes: isConfirmed, "with-shared": withShared }, [verb = "", email, ...rest]) {
    const change = Object.hasOwn(withAccount, verb) ? withAccount[verb] : undefined
    const isWhole = (verb === "list" || verb === "recount") && email === undefined
    const isChange = change !== undefined && email !== undefined && rest.length === 0
    const isMisplaced = (isConfirmed || withShared) && verb !== "delete"
    if ((!isWhole && !isChange) || isMisplaced) throw new MisuseError()

    // To count everything takes as long as there are rows.
    const store = await context.openStore({ isUnhurried: verb === "recount" })
    await context.migrate(store)
    const door = createDoor(store)
    if (isChange) {
      const account = await findAccount(door, email)
      return account === undefined
        ? noAccount(email)
        : change(account, { ...context, store, door, isConfirmed, withShared })
    }
    if (verb === "list") return success(await listAdmins(door))
    const wrong = await inTransaction(store.db, recountStoredBytes)
    return success([
      `Counted again what each account stores: ${wrong === 1 ? "1 count was" : `${wrong} counts were`} wrong`,
    ])
  },
})

async function makeAdmin({ id, email, isDisabled }: Account, { door }: AccountContext): Promise<CommandResult> {
  if ((await setAdmin(door, theServer, id, true)) === "gone") return noAccount(email)
  return success([`${email} is now an administrator`], isDisabled ? [stillDisabled(email)] : [])
}

async function takeAdminBack({ id, email }: Account, { door }: AccountContext): Promise<CommandResult> {
  if ((await setAdmin(door, theServer, id, false)) === "gone") return noAccount(email)
  return success([`${email} is no longer an administrator`])
}

/** Only the link goes to standard output. It holds a secret in its fragment, which browsers do not send. */
async function printResetLink(
  { id, email, isDisabled }: Account,
  { store, config }: AccountContext,
): Promise<CommandResult> {
  const { token } = await createReset(await noticingDoor(store, config), theServer, id)
  const what = `${email} can set a new password with this link, once, within ${resetLinkHours} hours. It replaces earlier links; send it to that person only`
  return linkTo(`/reset#${token}`, { email, isDisabled, config, what })
}

/** Worth nothing without the password or a sign-in at a provider. */
async function printFactorLink(
  { id, email, isDisabled }: Account,
  { store, config }: AccountContext,
): Promise<CommandResult> {
  try {
    const { token } = await createFactorLink(await noticingDoor(store, config), theServer, id)
    const what = `${email} can log in with this link and the password, or a sign-in at a connected provider, once, within ${factorLinkHours} hours; that removes all second factors. It replaces earlier links; send it to that person only`
    return linkTo(`/lost-factor#${token}`, { email, isDisabled, config, what })
  } catch (error) {
    if (error instanceof AppError && error.code === "conflict") return refused(`${email} has no second factor`)
    throw error
  }
}

/** Queues mails as the server does, which sends them. They are sealed: without the root key, no link is made. */
async function noticingDoor(store: OpenDatabase, config: AccountContext["config"]): Promise<Door> {
  if (config.mail === undefined) return createDoor(store)
  const rootKeys = await fittingRootKeys(config, await readEvidence(store.db), "store")
  return createDoor(store, { record: withNotices(recordEvent, createMailQueue(config.mail, vaultOf(rootKeys))) })
}

interface Link extends Pick<Account, "email" | "isDisabled"> {
  config: AccountContext["config"]
  what: string
}

async function linkTo(path: string, { email, isDisabled, config, what }: Link): Promise<CommandResult> {
  const notes = [what]
  if (isDisabled) notes.push(stillDisabled(email))
  const { publicUrl, dataDir } = config
  if (publicUrl !== undefined) return success([`${publicUrl.origin}${path}`], notes)

  const last = await readLastAddress(dataDir)
  const [address] = last === undefined ? addressesOf(config, config.port) : [last]
  const known = last === undefined ? "" : `, and ${last} is where the server was at its last start`
  notes.push(
    `hint: PUBLIC_URL is not set${known}. If people use another address than ${address}, put that at the beginning`,
  )
  return success([`${address}${path}`], notes)
}

async function disable({ id, email }: Account, { door }: AccountContext): Promise<CommandResult> {
  const outcome = await disableAccount(door, theServer, id)
  if (outcome === "gone") return noAccount(email)
  if (outcome === "disabled before") return success([`${email} is disabled already`])
  if (outcome === "last administrator") return lastAdministrator(email, "Nothing was changed")
  return success([
    `${email} is disabled: every session has ended, and the password and the API keys of what it shares with no one are refused`,
  ])
}

async function enable({ id, email }: Account, { door }: AccountContext): Promise<CommandResult> {
  const outcome = await enableAccount(door, theServer, id)
  if (outcome === "gone") return noAccount(email)
  if (outcome === "not disabled") return success([`${email} is not disabled`])
  return success([`${email} is enabled: the password and the API keys work again`])
}

/** With a terminal to ask at, the user confirms by typing the e-mail: what is deleted is gone. */
async function deleteForGood(
  { id, email, owned }: Account,
  { door, ask, isConfirmed, withShared }: AccountContext,
): Promise<CommandResult> {
  const shared = await ownedWithOthers(door, id)
  if (shared.length > 0 && !withShared) return refused(othersOwn(shared))

  const { collections, environments, items, apiKeys } = owned
  const what = inWords({ user: 1, collection: collections, environment: environments, item: items, api_key: apiKeys })
  if (!isConfirmed) {
    const answer = await ask?.(`This deletes ${what} for good. Type ${email} to go on: `)
    if (answer === undefined) return refused("there is no terminal to confirm at: add --yes. Nothing was deleted")
    if (answer.trim() !== email) return refused("not confirmed. Nothing was deleted")
  }
  const outcome = await deleteInPieces(door, id)
  if (outcome === "gone") return noAccount(email)
  if (outcome === "last administrator") return lastAdministrator(email, "Nothing was deleted")
  return success([`Deleted ${what}`])
}

const refused = (line: string): CommandResult => ({ exitCode: exitCodes.failure, out: [], err: [line] })

const maxNamed = 3

function othersOwn(shared: readonly { id: number; name: string }[]): string {
  const named = shared.slice(0, maxNamed).map(({ id, name }) => `${id} (${name.replaceAll(/[\p{C}\p{Z}]+/gu, " ")})`)
  const more = shared.length - named.length
  const names = more > 0 ? `${named.join(", ")} and ${more} more` : named.join(", ")
  return `others own these collections too: ${names}. One of them can take each over on its Sharing page; --with-shared deletes them with the account. Nothing was deleted`
}

const stillDisabled = (email: string) => `${email} is disabled: \`npm run admin -- enable\` lets them log in again`

const noAccount = (email: string) => refused(`there is no account with the e-mail ${email}`)

const lastAdministrator = (email: string, outcome: string) =>
  refused(`${email} is the last administrator: make another account one first. ${outcome}`)
