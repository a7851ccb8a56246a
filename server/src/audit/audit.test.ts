import type { User } from "@envkeep/contract"
import { type TestApp, testApp } from "@envkeep/testing/app.ts"
import { backUp, backupFile, rotate, verifyAudit } from "@envkeep/testing/commands.ts"
import { engine } from "@envkeep/testing/database.ts"
import { eventually } from "@envkeep/testing/eventually.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { restored } from "@envkeep/testing/restored.ts"
import { type RawBuilder, sql } from "kysely"
import { expect, onTestFinished, test, vi } from "vitest"
import { theServer } from "../access/caller.ts"
import { createDoor } from "../core/core.ts"
import { setAdmin } from "../features/users/administration.ts"
import { keyOf } from "../keys/seal.ts"
import { ensureChain } from "./begin.ts"
import { chainEvents, cutBatch, cutEvents, readChain, readHead } from "./chain.ts"
import { headText } from "./encode.ts"
import * as audit from "./verify.ts"

/** A store with a small chain: registered, logged in, a collection, an environment, an item. */
async function chainedApp() {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment()
  await ann.item(environment, "NAME", "a value")
  await chain(app)
  return { ...app, ann, environment }
}

const chain = ({ db, vault }: Pick<TestApp, "db" | "vault">) => chainEvents(db, vault)

const verify = (
  { db, rootKey }: Pick<TestApp, "db" | "rootKey">,
  heads: Parameters<typeof audit.verifyAudit>[2] = [],
) => audit.verifyAudit(db, [keyOf(rootKey)], heads)

const columns = ["created_at", "action", "actor_name", "address", "client", "collection_name", "details", "account_id"]

/** What a person who can write to the database may try, and at which event it is found. */
const attacks: [what: string, run: (app: TestApp, position: number) => Promise<unknown>, reason: RegExp][] = [
  ...columns.map((column): (typeof attacks)[number] => [
    `edit ${column}`,
    ({ db }, position) => {
      const edited = column.endsWith("_at") || column.endsWith("_id") ? sql`7` : sql`'edited'`
      return sql`update audit_event set ${sql.ref(column)} = ${edited} where position = ${position}`.execute(db)
    },
    /edited/,
  ]),
  [
    "edit mac",
    ({ db }, position) => sql`update audit_event set mac = 'ab' where position = ${position}`.execute(db),
    /edited/,
  ],
  ["delete", ({ db }, position) => sql`delete from audit_event where position = ${position}`.execute(db), /missing/],
  [
    "delete and close the gap",
    async ({ db }, position) => {
      await sql`delete from audit_event where position = ${position}`.execute(db)
      const later = await sql<{ id: number }>`
        select id from audit_event where position > ${position} order by position`.execute(db)
      for (const { id } of later.rows) {
        await sql`update audit_event set position = position - 1 where id = ${id}`.execute(db)
      }
    },
    /edited|missing/,
  ],
  [
    "take out of the chain",
    ({ db }, position) =>
      sql`update audit_event set position = null, mac = null where position = ${position}`.execute(db),
    /missing/,
  ],
]

testOnce("every attack on every event of the chain is found, and the untouched chain is intact", async () => {
  const app = await chainedApp()
  const count = (await readHead(app.db))?.position ?? 0
  expect(count).toBeGreaterThanOrEqual(5)
  expect(await verify(app)).toMatchObject({ isIntact: true, events: count })
  for (const [what, attack, reason] of attacks) {
    for (let position = 1; position <= count; position++) {
      await inVain(app, async (tampered) => {
        await attack(tampered, position)
        const found = { isIntact: false, position, reason: expect.stringMatching(reason) }
        expect({ what, ...(await verify(tampered)) }).toEqual({ what, ...found })
      })
    }
  }
  expect(await verify(app)).toMatchObject({ isIntact: true, events: count })
})

testOnce("any two events that change places are found at the first of them", async () => {
  const app = await chainedApp()
  const head = await readHead(app.db)
  for (let first = 1; first < (head?.position ?? 0); first++) {
    for (let second = first + 1; second <= (head?.position ?? 0); second++) {
      await inVain(app, async (tampered) => {
        await sql`update audit_event set position = -1 where position = ${first}`.execute(tampered.db)
        await sql`update audit_event set position = ${first} where position = ${second}`.execute(tampered.db)
        await sql`update audit_event set position = ${second} where position = -1`.execute(tampered.db)
        expect(await verify(tampered)).toEqual({
          isIntact: false,
          position: first,
          reason: `it was moved to position ${second}: events were reordered`,
        })
      })
    }
  }
})

testOnce("an event that is inserted anywhere is found", async () => {
  const app = await chainedApp()
  const head = await readHead(app.db)
  const end = (head?.position ?? 0) + 1
  for (let position = 1; position <= end; position++) {
    await inVain(app, async (tampered) => {
      const { rows } = await sql<{ id: number }>`
        select id from audit_event where position >= ${position} order by position desc`.execute(tampered.db)
      for (const { id } of rows) {
        await sql`update audit_event set position = position + 1 where id = ${id}`.execute(tampered.db)
      }
      const [copy] = await tampered.db.selectFrom("audit_event").selectAll().limit(1).execute()
      if (copy === undefined) throw new Error("there is no event")
      const { id: _, ...row } = copy
      await tampered.db
        .insertInto("audit_event")
        .values({ ...row, position })
        .execute()
      expect(await verify(tampered)).toMatchObject({ isIntact: false, position })
    })
  }
})

test("a chain that was cut off at its end is found, with the row of its end and without", async () => {
  const app = await chainedApp()
  const head = await readHead(app.db)
  const before = await app.db.selectFrom("audit_chain").selectAll().executeTakeFirstOrThrow()
  for (let kept = 0; kept < (head?.position ?? 0); kept++) {
    await inVain(app, async (tampered) => {
      await sql`delete from audit_event where position > ${kept}`.execute(tampered.db)
      const found = { isIntact: false, position: kept + 1, reason: expect.stringContaining("missing") }
      expect(await verify(tampered)).toEqual(found)
      await tampered.db.deleteFrom("audit_chain").execute()
      expect((await verify(tampered, head ? [head] : [])).isIntact).toBe(false)
    })
  }
  // The attacker kept an old copy of that row: only a head that was written down elsewhere shows it.
  await app.ann.collection("newer")
  await chain(app)
  const newer = await readHead(app.db)
  await inVain(app, async (tampered) => {
    await sql`delete from audit_event where position > ${before.position}`.execute(tampered.db)
    await tampered.db.updateTable("audit_chain").set(before).execute()
    expect(await verify(tampered)).toMatchObject({ isIntact: true })
    expect(await verify(tampered, newer ? [newer] : [])).toEqual({
      isIntact: false,
      position: before.position + 1,
      reason: `the newest events are missing: position ${newer?.position} was written down`,
    })
  })
  for (const edited of [{ position: 1 }, { mac: "ab" }, { start_position: 1 }, { signature: "ab" }]) {
    await inVain(app, async (tampered) => {
      await tampered.db.updateTable("audit_chain").set(edited).execute()
      expect((await verify(tampered)).isIntact).toBe(false)
    })
  }
})

const resetPositions = sql`update audit_event set position = null, mac = null`

/** What may be tried with more than one event, where it is found, and how it is put. */
const attacksOnTables: [what: string, run: RawBuilder<unknown>[], position: unknown, reason: RegExp][] = [
  ["delete the row of the ends", [sql`delete from audit_chain`], 1, /begins and ends is missing/],
  ["chain all events again", [sql`delete from audit_chain`, resetPositions], 1, /begins and ends is missing/],
  ["empty both tables", [sql`delete from audit_chain`, sql`delete from audit_event`], 1, /begins and ends is missing/],
  ["drop the chain", [sql`drop table audit_chain`], 1, /table audit_chain is missing/],
  ["drop the events", [sql`drop table audit_event`], 1, /table audit_event is missing/],
  [
    "a second row of the ends",
    [
      sql`insert into audit_chain select id + 1, sealed_key, position, mac, start_position, start_mac, signature from audit_chain`,
    ],
    1,
    /second row/,
  ],
  ...[0, -7].map((position): (typeof attacksOnTables)[number] => [
    `insert at ${position}`,
    [insertAt(position)],
    position,
    /inserted/,
  ]),
  ["a huge number in an event", [sql`update audit_event set actor_id = ${huge()} where position = 3`], 3, /edited/],
  ["a huge position", [sql`update audit_event set position = ${huge()} where position = 2`], 2, /missing|edited/],
  [
    "a huge number in the row of the ends",
    [sql`update audit_chain set position = ${huge()}`],
    expect.any(Number),
    /edited|cannot have written/,
  ],
]

// PostgreSQL's driver rounds the number, so there the event can be chained like any other that is inserted by hand.
if (engine === "sqlite") {
  const insertWaiting = [insertAt("null"), sql`update audit_event set actor_id = ${huge()} where position is null`]
  attacksOnTables.push(["a huge number in an event that waits", insertWaiting, 1, /cannot have written/])
}

/** JavaScript cannot hold it. */
function huge() {
  return sql.raw("9007199254740993000")
}

function insertAt(position: number | "null") {
  return sql`
    insert into audit_event (created_at, action, actor, actor_name, account_name, address, client, collection_name,
      environment_name, api_key_name, details, position, mac)
    select created_at, action, actor, actor_name, account_name, address, client, collection_name,
      environment_name, api_key_name, details, ${sql.raw(String(position))}, mac from audit_event where position is not null limit 1`
}

test("attacks on the tables as a whole are found", async () => {
  const app = await chainedApp()
  for (const [what, statements, position, reason] of attacksOnTables) {
    await inVain(app, async (tampered) => {
      for (const statement of statements) await statement.execute(tampered.db)
      const found = { isIntact: false, position, reason: expect.stringMatching(reason) }
      expect({ what, ...(await verify(tampered)) }).toEqual({ what, ...found })
    })
  }
  expect(await verify(app)).toMatchObject({ isIntact: true })
})

testOnce("no start of a server begins a chain where events were", async () => {
  const app = await chainedApp()
  await app.close()
  const tampered = await testApp({ location: app.location })
  await tampered.db.deleteFrom("audit_chain").execute()
  await resetPositions.execute(tampered.db)
  await tampered.close()
  const isMissing = { exitCode: 1, out: [expect.stringContaining("begins and ends is missing")] }
  expect(await verifyAudit(app.location)).toMatchObject(isMissing)

  const restarted = await testApp({ location: app.location })
  // It goes on to serve, and to write events.
  await (await restarted.user()).collection("new")
  await restarted.close()
  const errors = restarted.log.filter((line) => line.includes("the audit trail was tampered with"))
  expect(errors).toHaveLength(1)
  expect(await verifyAudit(app.location)).toMatchObject(isMissing)

  const emptied = await testApp({ location: app.location })
  await emptied.db.deleteFrom("audit_event").execute()
  await emptied.close()
  await (await testApp({ location: app.location })).close()
  expect(await verifyAudit(app.location)).toMatchObject(isMissing)

  const file = await backupFile()
  await backUp(app.location, file)
  const copy = await restored(app, file)
  expect(await verifyAudit(copy.location)).toMatchObject(isMissing)

  await sql`drop table audit_chain`.execute(copy.db)
  await copy.close()
  const started = await testApp({ location: copy.location })
  await (await started.user()).collection("new")
  const isDropped = { exitCode: 1, out: [expect.stringContaining("the table audit_chain is missing")] }
  expect(await verifyAudit(copy.location)).toMatchObject(isDropped)
})

test("a store that has no event yet has a chain, and an older copy of that row is found", async () => {
  const app = await testApp()
  const begun = await app.db.selectFrom("audit_chain").selectAll().executeTakeFirstOrThrow()
  expect(await verify(app)).toMatchObject({ isIntact: true, events: 0, unchained: 0 })
  const ann = await app.user()
  // PostgreSQL counts ids of changes that failed, so a few ids prove nothing there.
  for (let count = 0; count < 20; count++) await ann.collection(`number ${count}`)
  await chain(app)
  await app.db.deleteFrom("audit_event").execute()
  await app.db.updateTable("audit_chain").set(begun).execute()
  expect(await verify(app)).toEqual({ isIntact: false, position: 1, reason: "all events are missing" })
})

test("a store of the version before, stopped before it chained its first events, gets a chain when it is upgraded", async () => {
  const app = await testApp()
  await app.user()
  const { db, vault } = app
  await sql`update migration set applied_at = ${Date.now()}`.execute(db)
  const upgradeFrom = async (applied: string[], work: () => Promise<unknown> = async () => undefined) => {
    await db.deleteFrom("audit_chain").execute()
    await resetPositions.execute(db)
    await work()
    // Several nodes at once.
    await Promise.all([1, 2, 3].map(() => ensureChain(db, applied, () => vault)))
    expect(await verify(app)).toMatchObject({ isIntact: (await readChain(db)) !== undefined })
    return (await db.selectFrom("audit_chain").select("id").execute()).length
  }
  expect(await upgradeFrom(["010-next"])).toBe(1)
  expect(await upgradeFrom([])).toBe(0)
  expect(await upgradeFrom(["011-later"])).toBe(0)
  const inLaterMinute = sql`update migration set applied_at = applied_at - 70000`
  expect(await upgradeFrom(["010-next"], () => inLaterMinute.execute(db))).toBe(0)
})

/** Runs in a transaction that is rolled back. */
async function inVain(app: TestApp, work: (app: TestApp) => Promise<void>): Promise<void> {
  const tx = await app.db.startTransaction().execute()
  try {
    await work({ ...app, db: tx })
  } finally {
    await tx.rollback().execute()
  }
}

test("events are chained after a change, and each minute those of other processes; an idle server asks for none", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
  onTestFinished(() => void vi.useRealTimers())
  const executed: string[] = []
  const app = await testApp({ logQuery: ({ query }) => executed.push(JSON.stringify([query.sql, query.parameters])) })
  const second = 1_000
  const chained = (passMs: number) =>
    vi.waitFor(async () => {
      vi.advanceTimersByTime(passMs)
      expect(await verify(app)).toMatchObject({ isIntact: true, unchained: 0 })
    }, eventually)
  const ann = await app.user()
  await chained(second)

  const looks = () => executed.filter((query) => /audit_event|"chain events"/.test(query)).length
  // The job looks once more after it has chained something, and that may take a while.
  await vi.waitFor(async () => {
    const looksBefore = looks()
    for (let seconds = 0; seconds < 5; seconds++) {
      vi.advanceTimersByTime(second)
      await ann.get("/collection")
    }
    expect(looks()).toBe(looksBefore)
  }, eventually)

  await ann.collection("new")
  await chained(second)
  const { id } = (await ann.get<User>("/users/me")).body.data
  await setAdmin(createDoor({ db: app.db, readDb: app.db }), theServer, id, true)
  expect(await verify(app)).toMatchObject({ unchained: 1 })
  await chained(60 * second)
})

test("old events are deleted from the start of the chain, which still proves itself", async () => {
  const app = await chainedApp()
  const count = (await readHead(app.db))?.position ?? 0
  await inVain(app, async (tampered) => {
    await sql`update audit_event set created_at = 5 where position = 1`.execute(tampered.db)
    const cut = cutBatch(tampered.db, app.vault, 10)
    await expect(cut).rejects.toThrow("the event at position 1 was changed, so no events are deleted")
  })
  expect(await cutEvents(app.db, app.vault, Date.now() + 60_000)).toBe(count - 1)
  expect(await verify(app)).toMatchObject({ isIntact: true, events: 1, start: count - 1 })
  await app.ann.collection("later")
  await chain(app)
  expect(await verify(app)).toMatchObject({ isIntact: true, events: 2 })
  expect(await verify(app, [{ position: 1, mac: "ab" }])).toMatchObject({ isIntact: true, tooOld: [{ position: 1 }] })
  await inVain(app, async (tampered) => {
    await insertAt(count - 1).execute(tampered.db)
    expect(await verify(tampered)).toMatchObject({ isIntact: false, position: count - 1 })
    const cut = cutBatch(tampered.db, app.vault, Date.now() + 60_000)
    await expect(cut).rejects.toThrow(`the event at position ${count - 1} was inserted, so no events are deleted`)
  })
  await inVain(app, async (tampered) => {
    await sql`delete from audit_event where position = ${count}`.execute(tampered.db)
    expect(await verify(tampered)).toMatchObject({ isIntact: false, position: count })
  })
})

test("the chain outlives a new root key, a backup and a restore", async () => {
  const app = await chainedApp()
  const head = await readHead(app.db)
  await app.close()
  expect((await rotate(app.location)).exitCode).toBe(0)
  expect(await verifyAudit(app.location)).toMatchObject({ exitCode: 0 })
  const file = await backupFile()
  await backUp(app.location, file)
  const other = await restored(app, file)
  await other.close()
  const proven = await verifyAudit(other.location, "--backup", file, "--head", head ? headText(head) : "")
  expect(proven).toMatchObject({ exitCode: 0 })
})
