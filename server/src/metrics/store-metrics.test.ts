import { testApp } from "@envkeep/testing/app.ts"
import { backUp, backupFile } from "@envkeep/testing/commands.ts"
import { engine, newStoreLocation } from "@envkeep/testing/database.ts"
import { planOf } from "@envkeep/testing/plan.ts"
import { serverWithMetrics } from "@envkeep/testing/server-with-metrics.ts"
import { type CompiledQuery, sql } from "kysely"
import { expect, test } from "vitest"
import { lastBackupAt } from "../db/store-health.ts"

// Real processes start one after the other, on machines that may have other things to do.
test("the page says how much room the store has, and when it was last backed up", async () => {
  const location = await newStoreLocation()
  const { metrics } = await serverWithMetrics({}, location)
  const before = await metrics()
  expect(before.value("envkeep_store_bytes")).toBeGreaterThan(100_000)
  expect(before.value("envkeep_disk_free_bytes")).toBeGreaterThan(0)
  expect(before.value("envkeep_disk_total_bytes")).toBeGreaterThan(before.value("envkeep_disk_free_bytes"))
  // Not a time long ago: nothing is known of other ways to back up.
  expect(before.text).not.toMatch(/^envkeep_last_backup_timestamp_seconds/m)

  const beganAt = Date.now()
  expect(await backUp(location, await backupFile())).toMatchObject({ exitCode: 0, err: [] })
  const at = (await metrics()).value("envkeep_last_backup_timestamp_seconds") * 1000
  expect([at >= beganAt, at <= Date.now()]).toEqual([true, true])
})

test("a backup that the store cannot be told of is complete, and the command says so", async () => {
  const app = await testApp()
  await (engine === "sqlite"
    ? sql`create trigger full_disk before insert on audit_event when new.action = 'store.backup'
        begin select raise(abort, 'the store is full'); end`
    : sql`alter table audit_event add constraint full_disk check (action <> 'store.backup')`
  ).execute(app.db)
  expect(await backUp(app.location, await backupFile())).toMatchObject({
    exitCode: 0,
    err: [expect.stringMatching(/^The backup is complete, but the store could not be told, .*: .*full/)],
  })
  expect(await lastBackupAt(app.db)).toBeUndefined()
})

test("of millions of events, the last backup is found by its index", async () => {
  const executed: CompiledQuery[] = []
  const app = await testApp({ logQuery: ({ query }) => void executed.push(query) })
  executed.length = 0
  await lastBackupAt(app.core.db)
  const asked = executed.filter((query) => query.sql.includes("store.backup"))
  expect(asked).toHaveLength(1)
  for (const query of asked) expect(await planOf(app, query)).toContain("audit_event_backup")
})
