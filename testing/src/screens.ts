import type { Member } from "@envkeep/server/access/caller.ts"
import { Live } from "@envkeep/server/features/collections/live.ts"
import { onTestFinished } from "vitest"
import { type TestApp, testApp } from "./app.ts"
import { readerStream } from "./reader-stream.ts"

/** An app with screens in this process, and how many statements have read environments for them. */
export async function screensApp() {
  const reads = { count: 0, onNext: (): void => undefined }
  const app = await testApp({
    logQuery: ({ query }) => {
      if (!query.sql.includes('"keysRevision"')) return
      reads.count++
      const { onNext } = reads
      reads.onNext = () => undefined
      onNext()
    },
  })
  const ann = await app.user()
  const { id: userId } = (await ann.get<{ id: number }>("/users/me")).body.data
  const live = new Live({
    db: app.core.db,
    liveSessions: async (ids) => new Set(ids),
    liveTokens: async (ids) => new Set(ids),
    warn: () => undefined,
    bounds: { total: 500, perOwner: 500 },
  })
  onTestFinished(() => live.close())
  /** Returns what the screen was sent, once it was told the state. */
  const follow = async (collectionId: number, of = userId) => {
    const isTold = Promise.withResolvers<void>()
    const { sent, open } = readerStream((event, data) => {
      isTold.resolve()
      return { event, data }
    })
    await live.add(callerOf(of), collectionId, open)
    await isTold.promise
    return sent
  }
  return { ...app, ann, userId, live, reads, follow }
}

export function callerOf(userId: number): Member {
  return {
    kind: "user",
    userId,
    username: "ann",
    sessionId: 1,
    token: undefined,
    isAdmin: false,
    confirmedAt: 0,
    lacksFactor: false,
    level: "viewer",
    address: "",
    device: "",
    client: "",
  }
}

/** Directly, because it is quicker, and because a collection may have more than can be made. */
export async function copyEnvironment({ db }: TestApp, id: number, count: number): Promise<void> {
  const { id: _, ...row } = await db
    .selectFrom("environment")
    .selectAll()
    .where("id", "=", id)
    .executeTakeFirstOrThrow()
  for (let made = 0; made < count; ) {
    const copies = Array.from({ length: Math.min(100, count - made) }, () => ({ ...row, name: `copy ${made++}` }))
    await db.insertInto("environment").values(copies).execute()
  }
}
