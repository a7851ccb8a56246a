import { copyFile, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { rootKeyFile } from "@envkeep/server/keys/root-key.ts"
import type { StoreLocation } from "@envkeep/testing/store-location.ts"
import type { Bench, Rows } from "../bench.ts"
import { peakBytes } from "../machine.ts"
import type { Engine } from "../options.ts"
import { mustRun, startProduct } from "../product.ts"
import { megabytes, milliseconds, short, whole } from "../report.ts"
import { type Store, serve } from "../served.ts"
import { freshFolder, newStoreLocation, openBare } from "../store.ts"
import { keepTiming, type Timing } from "../turns.ts"

interface Upkeep {
  ms: number
  peakBytes: number
  /** How long writes took meanwhile. Undefined if no one can write at that time. */
  writesMs?: number[] | undefined
}

const restMs = 3_000
/** As many writes as some commands take: the longest of many is longer than the longest of a few. */
const atRestMs = 60_000
const lateMs = 100
const writePauseMs = 5

export const upkeepHead = {
  title: "Upkeep of a company's store",
  how: "Each command in a process of its own, with the most memory it had. At the same time, someone changes one value after the other through a running server; what counts is the longest that a single change took. While a store is restored, and while an embedded one is brought up to date, no server runs, so no one waits. A new version that starts on PostgreSQL is measured beside a writer that changes the tables directly, as a node of the old version does. On SQLite, the start includes the backup that precedes it.",
  columns: ["", "time", "memory", "longest wait of a writer", `changes over ${lateMs} ms`],
}

/** A company's store, and the table of what its upkeep takes. */
export interface Kept {
  bench: Bench
  engine: Engine
  large: StoreLocation
  rows: Rows
}

/** Starts the product for the first time on a store of an earlier version. */
export async function measureMigration(kept: Kept): Promise<void> {
  const { bench, large } = kept
  const writer = large.databaseUrl === undefined ? undefined : await startBareWriter(large)
  await wait(restMs)
  writer?.take()
  const began = performance.now()
  const product = await startProduct(bench.cleanup, large)
  const ms = performance.now() - began
  const upkeep = { ms, peakBytes: peakBytes(product.pid), writesMs: writer?.take() }
  await writer?.stop()
  await product.stop()
  await rm(join(large.dataDir, "backups"), { recursive: true, force: true })
  add(kept, "start with an upgrade", upkeep)
}

/** Writes to the tables all the time, as a node of an earlier version does while another one migrates. */
async function startBareWriter(location: StoreLocation): Promise<Timing> {
  const { query, close } = await openBare(location)
  const statements = [
    "begin",
    "update session set seen_at = seen_at + 1 where id = 1",
    "update environment set changed_at = changed_at + 1 where id = 1",
    "update item set revision = revision where id = 1",
    "update item_version set erased_by = null where id = 1",
    "update api_key set last_used_at = last_used_at + 1 where id = 1",
    'update "user" set last_sign_in_at = last_sign_in_at + 1 where id = 1',
    "commit",
  ]
  const write = async () => {
    for (const statement of statements) await query(statement)
  }
  const { take, stop } = keepTiming(write, writePauseMs)
  return { take, stop: () => stop().then(close) }
}

/** While an owner in that store changes a value through the product, again and again. */
export async function measureUpkeep(kept: Kept, store: Store): Promise<void> {
  const { bench, engine, large } = kept
  const served = await serve(bench, store)
  const writer = keepTiming(served.change, writePauseMs)
  await wait(atRestMs)
  add(kept, "at rest", { ms: atRestMs, peakBytes: peakBytes(served.pid), writesMs: writer.take() })
  const file = join(await freshFolder(bench.cleanup), "company.backup")
  for (const args of [["backup", file], ["doctor"]]) {
    writer.take()
    const ended = await mustRun(large, args)
    // What it left for others to tidy up is a part of it.
    await wait(restMs)
    add(kept, args[0] ?? "", { ...ended, writesMs: writer.take() })
  }
  await writer.stop()
  await served.stop()

  const restored = await newStoreLocation(bench, engine)
  await copyFile(join(large.dataDir, rootKeyFile), join(restored.dataDir, rootKeyFile))
  bench.say(`    the backup takes ${megabytes((await stat(file)).size)}`)
  add(kept, "restore", await mustRun(restored, ["restore", file]))
  await rm(file)
}

function add({ bench, rows }: Kept, what: string, { ms, peakBytes, writesMs }: Upkeep): void {
  const longestMs = (writesMs ?? []).reduce((longest, one) => Math.max(longest, one), 0)
  const late = writesMs?.filter((one) => one > lateMs).length
  const cells = [
    `${short(ms / 1000)} s`,
    megabytes(peakBytes),
    writesMs === undefined ? "no one writes" : milliseconds(longestMs),
    writesMs === undefined ? "" : `${late} of ${whole(writesMs.length)}`,
  ]
  rows.add(what, ...cells)
  // At once: what follows may take long, or fail.
  bench.say(`    ${[what, ...cells].join(", ")}`)
  if (what === "at rest") return
  rows.hold("upkeepMemory", what, peakBytes / 1e6)
  if (writesMs !== undefined) rows.hold("upkeepWait", what, longestMs)
}
