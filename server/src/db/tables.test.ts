import { testApp } from "@envkeep/testing/app.ts"
import { rotate } from "@envkeep/testing/commands.ts"
import { engine, newStoreLocation } from "@envkeep/testing/database.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { sql } from "kysely"
import { expect, test } from "vitest"
import { readConfig } from "../config.ts"
import { fittingRootKeys } from "../keys/root-key.ts"
import { readEvidence } from "../keys/root-key-evidence.ts"
import { unseal } from "../keys/seal.ts"
import type { Db } from "./schema.ts"
import { contentsOf, keptTables, type Path, parentsOf, quotaTables, sealsOf } from "./table-lists.ts"
import { type Table, tables } from "./tables.ts"

// That the manifest has an entry for each table of `Schema`, and none for another column, is checked by the compiler.

test("the manifest says of every table what the migrations made", async () => {
  const { db } = await testApp()
  const inManifest = Object.entries(tables).map(([name, table]) => [name, outlineOf(table)])
  expect(await outlinesIn(db)).toEqual(Object.fromEntries(inManifest))
})

/** What can be seen of a table in a database as well as in the manifest. */
interface Outline {
  ids: Table["ids"]
  parents: Record<string, string>
  bytes: string[]
  times: string[]
}

function outlineOf({ ids, parents = {}, sealed = {}, times = {} }: Table): Outline {
  return { ids, parents, bytes: Object.keys(sealed).toSorted(), times: Object.keys(times).toSorted() }
}

async function outlinesIn(db: Db): Promise<Record<string, Outline>> {
  const parents = await parentsIn(db)
  const numbered = await numberedIn(db)
  const outlines = (await db.introspection.getTables()).map(({ name, columns }) => {
    const names = columns.map((column) => column.name).toSorted()
    const bytes = columns.filter(({ dataType }) => /^(blob|bytea)$/i.test(dataType)).map((column) => column.name)
    const outline: Outline = {
      ids: names.includes("id") ? (numbered.has(name) ? "never reused" : "single row") : "none",
      parents: Object.fromEntries(parents.filter(({ child }) => child === name).map((one) => [one.column, one.parent])),
      bytes: bytes.toSorted(),
      times: names.filter((column) => column.endsWith("_at")),
    }
    return [name, outline]
  })
  return Object.fromEntries(outlines)
}

/** Where the engine itself sees to it that no id is given twice. */
async function numberedIn(db: Db): Promise<Set<string>> {
  const { rows } = await (engine === "sqlite"
    ? sql<{ name: string }>`select name from sqlite_master where type = 'table' and sql like '%autoincrement%'`
    : sql<{ name: string }>`
        select table_name as name from information_schema.columns
        where table_schema = current_schema() and column_name = 'id' and is_identity = 'YES'`
  ).execute(db)
  return new Set(rows.map((row) => row.name))
}

async function parentsIn(db: Db): Promise<{ child: string; column: string; parent: string }[]> {
  const { rows } = await (engine === "sqlite"
    ? sql<{ child: string; column: string; parent: string }>`
        select m.name as child, f."from" as "column", f."table" as parent
        from sqlite_master m join pragma_foreign_key_list(m.name) f where m.type = 'table'`
    : sql<{ child: string; column: string; parent: string }>`
        select child.relname as child, a.attname as "column", parent.relname as parent
        from pg_constraint c
        join pg_class child on child.oid = c.conrelid
        join pg_class parent on parent.oid = c.confrelid
        join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
        where c.contype = 'f'`
  ).execute(db)
  return rows
}

testOnce("a backup keeps the parents of what it keeps, and they come first", () => {
  for (const [at, table] of keptTables.entries()) {
    const before = keptTables.slice(0, at)
    expect(before, table).toEqual(expect.arrayContaining([...parentsOf(table).values()]))
  }
})

testOnce("what root keys are known by opens in the context that the manifest gives", async () => {
  const location = await newStoreLocation()
  const env = { ENVKEEP_ROOT_KEY: "11".repeat(32) }
  const { db } = await testApp({ location, env })
  await rotate(location, { env })
  const rootKeys = await fittingRootKeys(
    readConfig({ ...env, ENVKEEP_DATA_DIR: location.dataDir }),
    await readEvidence(db),
    "store",
  )
  const closed: string[] = []
  for (const table of ["canary", "root_key_bridge"] as const) {
    const row: Record<string, unknown> = await db.selectFrom(table).selectAll().executeTakeFirstOrThrow()
    for (const [column, { context }] of sealsOf(table)) {
      const text = context.filter((part) => typeof part === "string")
      const opens = rootKeys.some((key) => unseal(key, row[column] as Uint8Array, text) !== undefined)
      if (!opens) closed.push(`${table}.${column}`)
    }
  }
  expect(closed).toEqual([])
})

testOnce(
  "what the trash deletes first and what an account is counted for is found by the parents of each table",
  () => {
    const ways = (found: { table: string; path: Path }[]) =>
      found.map(({ table, path }) => [table, ...path.map(({ column }) => column)].join(" "))

    expect(ways(contentsOf("environment"))).toContain("item environment_id")
    expect(ways(contentsOf("collection"))).toContain("webhook_delivery webhook_id collection_id")
    expect(ways(contentsOf("collection")).join()).not.toContain("environment_id")
    expect(ways(quotaTables)).toEqual(
      expect.arrayContaining(["collection", "environment collection_id", "api_key environment_id collection_id"]),
    )
  },
)
