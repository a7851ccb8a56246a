import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { setImmediate as nextTurn } from "node:timers/promises"
import { testApp } from "@envkeep/testing/app.ts"
import { CompiledQuery } from "kysely"
import { expect, test } from "vitest"
import { theServer } from "../access/caller.ts"
import { sqliteFile } from "./open.ts"
import type { Reader, Tx } from "./schema.ts"
import { type SqliteConnection, sqliteConnection } from "./sqlite-connection.ts"
import { readersDriver, writerDriver } from "./sqlite-drivers.ts"

/** The state of a promise at this moment. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol()
  return (await Promise.race([promise, Promise.resolve(pending)])) === pending
}

test("while another process has the file locked, reads are answered and a write waits", async () => {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment()
  const { key } = await ann.apiKey(environment)
  const other = new DatabaseSync(join(app.location.dataDir, sqliteFile))
  other.exec("begin immediate")

  const rename = (name: string) => (tx: Tx) =>
    tx.updateTable("environment").set({ name }).where("id", "=", environment.id).execute()
  const changing = app.core.change(theServer, "environment.rename", rename("changed"))
  const bookkeeping = app.core.bookkeep(rename("last"))
  expect((await app.app.inject("/healthz")).statusCode).toBe(200)
  expect((await app.app.inject("/readyz")).statusCode).toBe(200)
  expect(await ann.itemsOf(environment)).toEqual([])
  expect((await app.guest.variables(key)).text).toBe("{}")
  expect([await isPending(changing), await isPending(bookkeeping)]).toEqual([true, true])

  other.exec("rollback")
  other.close()
  await Promise.all([changing, bookkeeping])
  expect((await ann.get<{ name: string }>(`/subcollection/${environment.id}`)).body.data.name).toBe("last")
})

test("reads do not wait for a change that is under way, and see it as soon as it is answered", async () => {
  const app = await testApp()
  const ann = await app.user()
  const collection = await ann.collection()
  const [started, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const changing = app.core.change(theServer, "collection.update", async (tx) => {
    await tx.updateTable("collection").set({ name: "after" }).where("id", "=", collection.id).execute()
    started.resolve()
    await end.promise
  })
  await started.promise
  const read = async () => (await ann.get<{ name: string }>(`/collection/${collection.id}`)).body.data.name
  expect(await read()).toBe(collection.name)
  end.resolve()
  await changing
  expect(await read()).toBe("after")
})

test("neither a change of many statements nor a series of short ones keeps others from running", async () => {
  const { core } = await testApp()
  let turns = 0
  const counting = setInterval(() => turns++, 0)
  const most = 50_000
  const untilTurns = async (statement: () => Promise<unknown>) => {
    turns = 0
    for (let statements = 0; statements < most; statements++) {
      if (turns === 3) return statements
      await statement()
    }
    return most
  }
  const ids = (db: Reader) => db.selectFrom("collection").select("id").execute()
  expect(await core.bookkeepTogether((tx) => untilTurns(() => ids(tx)))).toBeLessThan(most)
  expect(await untilTurns(() => core.bookkeepTogether(ids))).toBeLessThan(most)
  clearInterval(counting)
})

test("however many snapshots are held, single reads are answered at once, and further snapshots have their turn", async () => {
  const { core } = await testApp()
  const end = Promise.withResolvers<void>()
  let begun = 0
  const count = async (db: Pick<typeof core.db, "selectFrom">) =>
    (await db.selectFrom("user").select("id").execute()).length
  const snapshots = Array.from({ length: 12 }, () =>
    core.snapshot(async (snapshot) => {
      const users = await count(snapshot)
      begun++
      await end.promise
      return users + (await count(snapshot))
    }),
  )
  expect(await count(core.db)).toBe(0)
  await expect.poll(() => begun).toBe(10)
  end.resolve()
  expect(await Promise.all(snapshots)).toEqual(Array(12).fill(0))
  expect(begun).toBe(12)
})

test("a change by this process does not make it forget what it knows; one by another process does", async () => {
  const statements: string[] = []
  const app = await testApp({ logQuery: ({ query }) => void statements.push(query.sql) })
  const ann = await app.user()
  const environment = await ann.environment()
  const { key } = await ann.apiKey(environment)
  const unrelated = await ann.environment()
  await app.guest.variables(key)
  await ann.item(unrelated, "A", "1")
  statements.length = 0
  await app.guest.variables(key)
  expect(statements).toEqual([])

  const other = new DatabaseSync(join(app.location.dataDir, sqliteFile))
  other.exec("update environment set revision = revision + 1")
  other.close()
  // The version is read at most once in each turn of the event loop.
  await nextTurn()
  await app.guest.variables(key)
  expect(statements).not.toEqual([])
})

/** A connection from which the disk cannot read, so many times in a row. */
function failing(times: number): SqliteConnection {
  const database = new DatabaseSync(":memory:")
  const connection = sqliteConnection(database)
  let left = times
  return {
    database,
    run(query) {
      if (left-- > 0) throw Object.assign(new Error("disk I/O error"), { code: "ERR_SQLITE_ERROR", errcode: 266 })
      return connection.run(query)
    },
  }
}

const drivers = {
  readers: (connection: SqliteConnection) => readersDriver(() => connection, 0),
  writer: (connection: SqliteConnection) => writerDriver(connection, 0, () => connection.database.close()),
}

test.each([
  ["readers", 1, "is read again"],
  ["readers", 2, "is a fault"],
  ["writer", 1, "is read again"],
  ["writer", 2, "is a fault"],
] as const)("what the disk of the %s cannot read, %i times in a row, %s", async (name, times, _) => {
  const driver = drivers[name](failing(times))
  const connection = await driver.acquireConnection()
  const read = connection.executeQuery(CompiledQuery.raw("select 7 as seven"))
  if (times === 1) expect((await read).rows).toEqual([{ seven: 7 }])
  else await expect(read).rejects.toThrow("disk I/O error")
  await driver.destroy()
})

test("a change during which the disk cannot read is not made again", async () => {
  const driver = drivers.writer(failing(1))
  const connection = await driver.acquireConnection()
  const change = connection.executeQuery(CompiledQuery.raw("create table made (id integer)"))
  await expect(change).rejects.toThrow("disk I/O error")
  await driver.destroy()
})
