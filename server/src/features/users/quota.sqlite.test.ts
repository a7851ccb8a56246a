import { statSync } from "node:fs"
import { join } from "node:path"
import { testApp } from "@envkeep/testing/app.ts"
import { sql } from "kysely"
import { expect, test } from "vitest"

test("the file does not grow when what was deleted forever is replaced", async () => {
  const { user, location, db } = await testApp()
  const ann = await user()
  const items = Array.from({ length: 60 }, (_, n) => ({ name: `N${n}`, value: "x".repeat(60_000) }))
  const fill = async () => {
    const environment = await ann.environment()
    await ann.post(`/subcollection/${environment.id}/bulk`, items)
    await sql`pragma wal_checkpoint(truncate)`.execute(db)
    return { environment, fileBytes: statSync(join(location.dataDir, "envkeep.db")).size }
  }
  const first = await fill()
  await ann.delete(`/collection/${first.environment.collectionId}`)
  await ann.purge("collections", { id: first.environment.collectionId, name: "app" })
  const second = await fill()
  expect(first.fileBytes).toBeGreaterThan(60 * 60_000)
  expect(second.fileBytes).toBeLessThan(first.fileBytes * 1.05)
})
