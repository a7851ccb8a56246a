import type { Schema } from "@envkeep/server/db/schema.ts"
import { insertSession, insertUser } from "@envkeep/server/features/users/store.ts"
import { hashPassword } from "@envkeep/server/keys/password.ts"
import { hashToken, newSessionToken } from "@envkeep/server/keys/token.ts"
import { sql } from "kysely"
import { onTestFinished } from "vitest"
import { password, testApp } from "../app.ts"
import { engine } from "../database.ts"
import { wire } from "./wire.ts"

export type World = Awaited<ReturnType<typeof startWorld>>

const tables = ["subscription", "product", "user", "attempt"] as const satisfies (keyof Schema)[]

/** The real app, listening, on a real database that can be emptied between cases. */
export async function startWorld() {
  const { app, core, db, log } = await testApp({ requestsPerMinute: Number.POSITIVE_INFINITY })
  // As the tests' PostgreSQL does: they ask whether writes are right, not whether they survive a power cut.
  if (engine === "sqlite") await sql`pragma synchronous = off`.execute(db)
  const talk = wire(await app.listen({ port: 0, host: "127.0.0.1" }))
  onTestFinished(talk.close)
  const passwordHash = await hashPassword(password)
  return {
    db,
    log,
    wire: talk,
    /** Everything that belongs to somebody goes with them. Ids go on counting, so memory of earlier cases is never met. */
    async empty() {
      for (const table of tables) await db.deleteFrom(table).execute()
      log.length = 0
    },
    /** Somebody who is there already: registering and logging in cost a slow hash each. */
    async user(email: string, isAdmin = false) {
      const row = await core.bookkeep((tx) =>
        insertUser(tx, {
          username: "somebody",
          email,
          emailKey: email.toLowerCase(),
          passwordHash,
          isAdmin,
        }),
      )
      return { id: row.id, username: "somebody", email, password, isAdmin }
    },
    async session(userId: number): Promise<string> {
      const token = newSessionToken()
      await core.bookkeep((tx) => insertSession(tx, userId, { tokenHash: hashToken(token), now: Date.now() }))
      return token
    },
  }
}
