import { type TestApp, testApp } from "@envkeep/testing/app.ts"
import { backUp, backupFile, rotate, verifyAudit } from "@envkeep/testing/commands.ts"
import { restored } from "@envkeep/testing/restored.ts"
import { sql } from "kysely"
import { expect, test } from "vitest"
import { keyOf } from "../keys/seal.ts"
import { chainEvents, cutBatch, cutEvents, readHead } from "./chain.ts"
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

test("every attack on every event of the chain is found, and the untouched chain is intact", async () => {
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

test("any two events that change places are found at the first of them", async () => {
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

test("an event that is inserted anywhere is found", async () => {
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

/** Runs in a transaction that is rolled back. */
async function inVain(app: TestApp, work: (app: TestApp) => Promise<void>): Promise<void> {
  const tx = await app.db.startTransaction().execute()
  try {
    await work({ ...app, db: tx })
  } finally {
    await tx.rollback().execute()
  }
}

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

test("npm run verify-audit says whether the trail is intact, where it is broken, or that it cannot check", async () => {
  const app = await chainedApp()
  const head = await readHead(app.db)
  if (head === undefined) throw new Error("there is no head")
  await app.close()
  const intact = await verifyAudit(app.location, "--head", headText(head))
  expect(intact).toEqual({
    exitCode: 0,
    out: [`The audit trail is intact: ${head.position} events, head ${headText(head)}`],
    err: [],
  })
  const other = await verifyAudit(app.location, "--head", `1:${"ab".repeat(32)}`)
  expect(other).toMatchObject({
    exitCode: 1,
    out: ["The audit trail is broken at position 1: it is not the one whose head was written down"],
  })
  expect((await verifyAudit(app.location, "--head", "nonsense")).exitCode).toBe(2)
  expect((await verifyAudit({ ...app.location, dataDir: "/nowhere" })).exitCode).toBe(2)
})
