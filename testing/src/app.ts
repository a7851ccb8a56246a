import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { User } from "@envkeep/contract"
import { theServer } from "@envkeep/server/access/caller.ts"
import { type AppParts, buildApp } from "@envkeep/server/app.ts"
import { ensureChain } from "@envkeep/server/audit/begin.ts"
import { parseRootKey, readConfig } from "@envkeep/server/config.ts"
import { type Core, createDoor, type Recorder } from "@envkeep/server/db/core.ts"
import { migrate } from "@envkeep/server/db/migrator.ts"
import { openDatabase } from "@envkeep/server/db/open.ts"
import { setAdmin } from "@envkeep/server/features/users/rules.ts"
import { addressPolicy } from "@envkeep/server/features/webhooks/delivery/addresses.ts"
import { createDeliverer, type DelivererParts } from "@envkeep/server/features/webhooks/delivery/deliver.ts"
import { openVault, rootKeyFile } from "@envkeep/server/keys/root-key.ts"
import type { LogEvent } from "kysely"
import { onTestFinished } from "vitest"
import { newMigratedStore, type StoreLocation } from "./database.ts"
import { type Person, person } from "./person.ts"
import { watchAppForLeaks } from "./watch-app-for-leaks.ts"

export const password = "correct horse battery staple"

export type TestApp = Awaited<ReturnType<typeof testApp>>

let userCount = 0

/** The real app on a real database (a new one unless `location` is given), with users to call it. */
export async function testApp({
  env,
  logQuery,
  location,
  record,
  webhooks,
  ...parts
}: Partial<AppParts> & {
  env?: Record<string, string>
  logQuery?: (event: LogEvent) => void
  location?: StoreLocation
  record?: Recorder
  /** How webhooks are delivered, where it differs from a server. */
  webhooks?: Partial<DelivererParts>
} = {}) {
  const { dataDir, databaseUrl } = location ?? (await newMigratedStore())
  const store = await openDatabase({ url: databaseUrl, dataDir }, logQuery)
  const { db } = store
  const applied = await migrate(db)
  const log: string[] = []
  const logStream = { write: (line: string) => void log.push(line) }
  const config = readConfig({ ...env, LOG_LEVEL: "trace" })
  const vault = await openVault(db, { rootKey: config.rootKey, dataDir }, () => undefined)
  await ensureChain(db, applied, () => vault)
  const rootKey = Buffer.from(config.rootKey ?? parseRootKey(readFileSync(join(dataDir, rootKeyFile), "utf8").trim()))
  const core: Core = { ...createDoor(store, { record, quotaBytes: config.quotaBytes }), vault }
  const policy = addressPolicy(config.webhookAllow)
  const deliverer = createDeliverer({ core, policy, warn: (error) => void log.push(String(error)), ...webhooks })
  const app = await buildApp({ store, core, config, logStream, deliverer, ...parts })
  watchAppForLeaks(app, log, rootKey)
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= app.close().then(() => db.destroy())
    return closed
  }
  onTestFinished(close)
  return {
    app,
    location: { dataDir, databaseUrl },
    /** Stops the app before the test has finished. */
    close,
    db,
    core,
    vault,
    rootKey,
    deliverer,
    /** Every line logged so far. */
    log,
    guest: person(app),
    user,
    async admin(): Promise<Person> {
      const admin = await user()
      const { id } = (await admin.get<User>("/users/me")).body.data
      await setAdmin(core, theServer, id, true)
      return admin
    },
  }

  /** A user who has registered and logged in. */
  async function user(email = `user${++userCount}@example.com`): Promise<Person> {
    const user = person(app, email)
    await user.post("/users/register", { username: "someone", email, password, password2: password })
    await user.post("/users/login", { email, password })
    return user
  }
}
