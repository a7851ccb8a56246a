import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { User } from "@envkeep/contract"
import { theServer } from "@envkeep/server/access/caller.ts"
import { type AppParts, buildApp } from "@envkeep/server/app.ts"
import { ensureChain } from "@envkeep/server/audit/begin.ts"
import { recordEvent } from "@envkeep/server/audit/record.ts"
import { readConfig } from "@envkeep/server/config.ts"
import { type Core, createDoor, type Recorder } from "@envkeep/server/core/core.ts"
import { migrate } from "@envkeep/server/db/migrator.ts"
import { openDatabase } from "@envkeep/server/db/open.ts"
import { setAdmin } from "@envkeep/server/features/users/administration.ts"
import { answerForgotten } from "@envkeep/server/features/users/forgotten/rules.ts"
import { createAccount } from "@envkeep/server/features/users/rules.ts"
import { beginSession } from "@envkeep/server/features/users/sessions/rules.ts"
import { addressPolicy } from "@envkeep/server/features/webhooks/delivery/addresses.ts"
import { Deliverer, type DelivererParts } from "@envkeep/server/features/webhooks/delivery/deliver.ts"
import { hashPassword } from "@envkeep/server/keys/password.ts"
import { openVault, rootKeyFile } from "@envkeep/server/keys/root-key.ts"
import { parseRootKey } from "@envkeep/server/keys/root-key-text.ts"
import { createMailQueue } from "@envkeep/server/mail/create-queue.ts"
import { withNotices } from "@envkeep/server/mail/notices.ts"
import { MailSender, type SenderParts } from "@envkeep/server/mail/sender.ts"
import type { LogEvent } from "kysely"
import { registerSecret, registerSettings } from "./leaks.ts"
import { type Person, person } from "./person.ts"
import type { StoreLocation } from "./store-location.ts"

// Without the test runner, so that benchmarks can use it too.

export const password = "correct horse battery staple"

export type RunningApp = Awaited<ReturnType<typeof runApp>>

export type RunOptions = Partial<AppParts> & {
  env?: Record<string, string>
  logQuery?: (event: LogEvent) => void
  record?: Recorder
  /** How webhooks are delivered, where it differs from a server. */
  webhooks?: Partial<DelivererParts>
  /** How mails are sent, where it differs from a server with the same settings. */
  mail?: Partial<SenderParts>
  /** Its migrations need not be asked. */
  hasAllTables?: boolean
}

let userCount = 0
/** Made once: hashing takes longer than most of what tests do. */
let passwordHash: Promise<string> | undefined

/** The real app on a real database, with users to call it. */
export async function runApp(
  { dataDir, databaseUrl }: StoreLocation,
  { env, logQuery, record, webhooks, mail, hasAllTables = false, ...parts }: RunOptions = {},
) {
  const store = await openDatabase({ url: databaseUrl, dataDir }, logQuery)
  const { db } = store
  const applied = hasAllTables ? [] : await migrate(db)
  const log: string[] = []
  const logStream = { write: (line: string) => void log.push(line) }
  const config = readConfig({ ...env, LOG_LEVEL: env?.["LOG_LEVEL"] ?? "trace" })
  registerSettings(env ?? {})
  const vault = await openVault(db, { rootKey: config.rootKey, dataDir }, () => undefined)
  await ensureChain(db, applied, () => vault)
  const rootKey = Buffer.from(config.rootKey ?? parseRootKey(readFileSync(join(dataDir, rootKeyFile), "utf8").trim()))
  const queue = config.mail && createMailQueue(config.mail, vault)
  const recorder = record ?? (queue && withNotices(recordEvent, queue))
  const core: Core = { ...createDoor(store, { record: recorder, quotaBytes: config.quotaBytes }), vault, mail: queue }
  const policy = addressPolicy(config.webhookAllow)
  const deliverer = new Deliverer({ core, policy, warn: (error) => void log.push(String(error)), ...webhooks })
  const mailSender =
    queue &&
    new MailSender({
      core,
      mail: queue,
      warn: (error) => void log.push(String(error)),
      answerForgotten: (id, params) => answerForgotten(core, id, params),
      ...mail,
    })
  const app = await buildApp({ store, core, config, logStream, deliverer, mailSender, ...parts })
  let closed: Promise<void> | undefined
  return {
    app,
    location: { dataDir, databaseUrl },
    /** Stops the app. */
    close() {
      closed ??= app.close().then(() => db.destroy())
      return closed
    },
    db,
    core,
    vault,
    rootKey,
    deliverer,
    /** Sends all mails that are due. */
    sendMail: async () => mailSender?.sendDue(),
    mailCounts: mailSender?.counts,
    /** Every line logged so far. */
    log,
    guest: person(app),
    user,
    /** The same by the calls that a browser makes. */
    async newcomer(email = `user${++userCount}@example.com`): Promise<Person> {
      const newcomer = person(app, email)
      await newcomer.post("/users/register", { username: "someone", email, password, password2: password })
      await newcomer.post("/users/login", { email, password })
      return newcomer
    },
    async admin(): Promise<Person> {
      const admin = await user()
      const { id } = (await admin.get<User>("/users/me")).body.data
      await setAdmin(core, theServer, id, true)
      return admin
    },
  }

  /**
   * A user who has registered and logged in. By the rules and not over HTTP, so that the password is neither hashed nor
   * checked each time. It is `password`, and works.
   */
  async function user(email = `user${++userCount}@example.com`): Promise<Person> {
    passwordHash ??= hashPassword(password, "tests")
    registerSecret("a password", password)
    const checkedHash = await passwordHash
    const browser = { kind: "guest", address: "127.0.0.1", device: "", client: "lightMyRequest" } as const
    const made = await createAccount(core, browser, { username: "someone", email, passwordHash: checkedHash })
    const known = { ...browser, device: made.device }
    const session = await beginSession(core, known, { userId: made.user.id, checkedHash })
    const prefix = config.publicUrl?.protocol === "https:" ? "__Host-" : ""
    const user = person(app, email)
    user.keep(`${prefix}envkeep_device`, made.device)
    user.keep(`${prefix}envkeep_session`, String(session?.token))
    return user
  }
}
