import { randomBytes } from "node:crypto"
import { keyOf, seal } from "@envkeep/server/keys/seal.ts"
import { type Bench, onEachEngine } from "../bench.ts"
import type { Engine } from "../options.ts"
import { milliseconds, times, whole } from "../report.ts"
import { makeStore, type Store, serveNew } from "../served.ts"
import { bulkRequest, variableList } from "../stock.ts"
import { openBare, type Row } from "../store.ts"
import { compare, medianOf, type Once, timed } from "../turns.ts"

const sizes = [50, 1_000, 10_000]

/** One way to save items: with the product, and with the bare driver. */
interface Contest {
  what: string
  count: number
  ours: Once
  bare: Once
}

export const save = onEachEngine(
  "save",
  ({ options }) => ({
    title: "Saving",
    how: `A bulk save is one call: into an empty environment, or with a new value for every item of one. A single write changes one item. For comparison: the same rows, each with its version and all with their revision, encrypted beforehand, in a bare transaction of the same engine with the same durability (\`node:sqlite\`: one prepared statement, row by row; \`pg\`: the rows as one set), which reads nothing and checks nothing. Up to 1,000 items in ${options.race.turns} turns.`,
    columns: ["", "Envkeep", "bare transaction", "times"],
  }),
  async (bench, engine, rows) => {
    const { calls, turns, race } = bench.options
    for (const { what, count, ours, bare } of await contests(bench, engine)) {
      bench.say(`    ${what}`)
      const repeats = Math.max(3, Math.min(calls, Math.round(calls / Math.sqrt(count))))
      // The largest saves take so long that a few turns even out interference.
      const { first, second, ratio } = await compare(
        count > 1_000 ? turns : race.turns,
        () => medianOf(repeats, bare),
        () => medianOf(repeats, ours),
      )
      rows.add(what, milliseconds(second), milliseconds(first), times(ratio))
      if (count === 1) rows.hold("singleWrite", what, ratio)
      if (count === 1_000) rows.hold("bulkSave", what, ratio)
    }
  },
)

/** Each side has its own store, so that neither waits for the other. */
async function contests(bench: Bench, engine: Engine): Promise<Contest[]> {
  const { owner, stocked, ask, change } = await serveNew(bench, engine, { variables: 1 })
  const theirs = await makeStore(bench, engine, { variables: 1 })
  const bare = await openBareStore(theirs)
  bench.cleanup.defer(bare.close)
  // Each save differs from the one before: saving the same again changes nothing.
  let saves = 0
  const [ourId, theirId] = [stocked.environment.id, theirs.stocked.environment.id]
  return [
    { what: "single write", count: 1, ours: change, bare: () => bare.put(theirId, 1) },
    ...sizes.map((count) => ({
      what: `bulk save of ${whole(count)}, all new`,
      count,
      ours: async () => {
        // Each in a collection of its own, because a collection holds only so much.
        const id = await owner.environment("empty", await owner.collection())
        return ask(bulkRequest(owner.cookie, id, variableList(count)))
      },
      bare: async () => bare.put(await bare.newEnvironment(), count),
    })),
    ...sizes.map((count) => ({
      what: `bulk save of ${whole(count)}, all changed`,
      count,
      ours: () => ask(bulkRequest(owner.cookie, ourId, variableList(count, ++saves))),
      bare: () => bare.put(theirId, count),
    })),
  ]
}

const sealOverhead = seal(keyOf(randomBytes(32)), "", []).length
const orReplace =
  "on conflict (environment_id, name) do update set sealed_value = excluded.sealed_value, revision = excluded.revision"
const addRevision = `insert into revision
  (environment_id, number, created_at, action, actor, actor_id, actor_name, note, added, changed, removed)
  values (?1, ?2, 1, 'items.save', 'user', 1, 'owner', '', 0, ?3, 0)`

/**
 * The least that our writes can cost: the same rows into the same tables with the same durability, on the bare driver.
 * Nothing is looked up and no access is checked.
 */
async function openBareStore({ location, stocked }: Store) {
  const { isSqlite, query, insert, close } = await openBare(location)
  let made = 0
  /** Higher than any that the product has given. */
  let revision = 1_000_000
  return {
    close,
    /** An empty environment in the same collection. */
    async newEnvironment(): Promise<number> {
      const text = "insert into environment (collection_id, name) values (?1, ?2) returning id"
      return Number((await query(text, [stocked.collectionId, `bare ${++made}`]))[0]?.["id"])
    },
    /** Writes items with a version of each, and raises the revision, in one transaction. Returns how long it took. */
    put(environmentId: number, count: number): Promise<number> {
      revision++
      const items = variableList(count).map(({ name, value }): Row => {
        // Random bytes of the length of encrypted values: the engine cannot tell the difference.
        return { environment_id: environmentId, revision, name, sealed_value: randomBytes(sealOverhead + value.length) }
      })
      const versions = items.map((item) => ({ ...item, item_id: 1 }))
      return timed(async () => {
        await query(isSqlite ? "begin immediate" : "begin")
        await insert("item", items, orReplace)
        await insert("item_version", versions)
        await query(addRevision, [environmentId, revision, count])
        await query("update environment set revision = revision + 1 where id = ?1", [environmentId])
        await query("commit")
      })
    },
  }
}
