import type { ApiKey, Collection, Environment, Item } from "@envkeep/contract"
import type { Schema } from "@envkeep/server/db/schema.ts"
import { insertSession } from "@envkeep/server/features/users/sessions/store.ts"
import { insertUser } from "@envkeep/server/features/users/store.ts"
import { hashPassword } from "@envkeep/server/keys/password.ts"
import { hashToken, newSessionToken } from "@envkeep/server/keys/token.ts"
import { sql } from "kysely"
import { onTestFinished } from "vitest"
import { password, testApp } from "../app.ts"
import { engine } from "../database.ts"
import { createHttpClient, dataFor } from "./http-client.ts"

export type FuzzApp = Awaited<ReturnType<typeof startFuzzApp>>

const tables = ["subscription", "product", "team", "user", "attempt"] as const satisfies (keyof Schema)[]

/** The real app, listening on a port, on a real database that can be emptied between cases. */
export async function startFuzzApp() {
  const { app, core, db, log } = await testApp({ requestsPerMinute: Number.POSITIVE_INFINITY })
  // As with the tests' PostgreSQL: tests check what is written, not whether it survives a power cut.
  if (engine === "sqlite") await sql`pragma synchronous = off`.execute(db)
  const http = createHttpClient(await app.listen({ port: 0, host: "127.0.0.1" }))
  onTestFinished(http.close)
  const passwordHash = await hashPassword(password, "fuzz")
  return {
    db,
    log,
    http,
    /** Deletes all users and with them all they own. Ids are not reused, so no cache entry of an earlier case matches. */
    async empty() {
      for (const table of tables) await db.deleteFrom(table).execute()
      log.length = 0
    },
    /** Inserts a user directly, since registering and logging in would compute a slow hash each. */
    async user(email: string, isAdmin = false) {
      const username = "fuzz user"
      const row = await core.bookkeep((tx) =>
        insertUser(tx, {
          username,
          email,
          emailKey: email.toLowerCase(),
          passwordHash,
          isAdmin,
        }),
      )
      return { id: row.id, username, email, password, isAdmin }
    },
    async session(userId: number): Promise<string> {
      const token = newSessionToken()
      const now = Date.now()
      const from = { hasProviderFactor: false, address: "", client: "" }
      await core.bookkeep((tx) =>
        insertSession(tx, { userId, tokenHash: hashToken(token), now, confirmedAt: now, ...from }),
      )
      return token
    },
    collection: (token: string | undefined, fields: { name: string; description?: string }) =>
      dataFor<Collection>(http, token, "POST /collection", fields),
    /** An environment with an item and a key. */
    async environment(
      token: string | undefined,
      collectionId: number,
      { name, item, keyName }: { name: string; item: { name: string; value: string }; keyName: string },
    ) {
      const post = <Data>(path: string, body: unknown) => dataFor<Data>(http, token, `POST ${path}`, body)
      const environment = await post<Environment>("/subcollection", { name, collectionId })
      const subCollectionId = environment.id
      return {
        environment,
        item: await post<Item>("/collectionItem", { ...item, subCollectionId }),
        key: await post<ApiKey>("/api-key", { name: keyName, subCollectionId }),
      }
    },
  }
}
