import { spawn } from "node:child_process"
import { once } from "node:events"
import { copyFile, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { rootKeyFile } from "@envkeep/server/keys/root-key.ts"
import { type Bench, engineNames, type engines } from "../bench.ts"
import { hold } from "../budgets.ts"
import { productMain, startProduct } from "../product.ts"
import { megabytes, milliseconds, type Section, short, whole } from "../report.ts"
import { freshFolder, newStoreLocation, type StoreLocation } from "../store-location.ts"
import { peakBytes, watchPeak } from "./peak-memory.ts"
import { lateMs, startBareWriter, startWriter, type Waited, type Writer } from "./writer.ts"

type Engine = (typeof engines)[number]

interface Upkeep {
  what: string
  ms: number
  peakBytes: number
  /** Undefined if no one can write at that time. */
  waited: Waited | undefined
}

const restMs = 3_000
/** As many writes as some commands take: the longest of many is longer than the longest of a few. */
const atRestMs = 60_000

export function upkeepSection(): Section {
  return {
    title: "Upkeep of a company's store",
    how: "Each command in a process of its own, with the most memory it had. At the same time, someone changes one value after the other through a running server; what counts is the longest that a single change took. While a store is restored, and while an embedded one is brought up to date, no server runs, so no one waits. A new version that starts on PostgreSQL is measured beside a writer that changes the tables directly, as a node of the old version does. On SQLite, the start includes the backup that precedes it.",
    columns: ["", "time", "memory", "longest wait of a writer", `changes over ${lateMs} ms`],
    rows: [],
    held: [],
  }
}

/** Starts the product for the first time on a store of an earlier version. */
export async function measureMigration(
  bench: Bench,
  engine: Engine,
  large: StoreLocation,
  section: Section,
): Promise<void> {
  const writer = large.databaseUrl === undefined ? undefined : await startBareWriter(large.databaseUrl)
  await wait(restMs)
  writer?.waited()
  const began = performance.now()
  const product = await startProduct(bench, large)
  const ms = performance.now() - began
  const peak = peakBytes(product.pid)
  const waited = writer?.waited()
  await writer?.stop()
  await product.stop()
  await rm(join(large.dataDir, "backups"), { recursive: true, force: true })
  add(bench, section, engine, { what: "start with an upgrade", ms, peakBytes: peak, waited })
}

export async function measureUpkeep(
  bench: Bench,
  engine: Engine,
  large: StoreLocation,
  section: Section,
): Promise<void> {
  const product = await startProduct(bench, large)
  const writer = await startWriter(product)
  await wait(atRestMs)
  add(bench, section, engine, {
    what: "at rest",
    ms: atRestMs,
    peakBytes: peakBytes(product.pid),
    waited: writer.waited(),
  })
  const file = join(await freshFolder(bench), "company.backup")
  await beside(bench, section, { engine, writer, what: "backup" }, () => command(large, ["backup", file]))
  await beside(bench, section, { engine, writer, what: "doctor" }, () => command(large, ["doctor"]))
  await writer.stop()
  await product.stop()

  const restored = await newStoreLocation(bench, engine)
  await copyFile(join(large.dataDir, rootKeyFile), join(restored.dataDir, rootKeyFile))
  bench.say(`    the backup takes ${megabytes((await stat(file)).size)}`)
  add(bench, section, engine, {
    what: "restore",
    ...(await command(restored, ["restore", file])),
    waited: undefined,
  })
  await rm(file)
}

async function beside(
  bench: Bench,
  section: Section,
  { engine, writer, what }: { engine: Engine; writer: Writer; what: string },
  work: () => Promise<Pick<Upkeep, "ms" | "peakBytes">>,
): Promise<void> {
  writer.waited()
  const done = await work()
  // What it left for others to tidy up is a part of it.
  await wait(restMs)
  add(bench, section, engine, { what, ...done, waited: writer.waited() })
}

async function command(
  { dataDir, databaseUrl }: StoreLocation,
  args: string[],
): Promise<Pick<Upkeep, "ms" | "peakBytes">> {
  const began = performance.now()
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", productMain, ...args], {
    env: {
      PATH: process.env["PATH"],
      ENVKEEP_DATA_DIR: dataDir,
      ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
    },
    stdio: ["ignore", "pipe", "inherit"],
  })
  const peak = watchPeak(child.pid as number)
  let said = ""
  child.stdout.on("data", (piece: Buffer) => {
    said += piece
  })
  const [code] = await once(child, "close")
  if (code !== 0) throw new Error(`${args[0]} ended with ${code}:\n${said}`)
  return { ms: performance.now() - began, peakBytes: peak() }
}

function add({ say }: Bench, section: Section, engine: Engine, { what, ms, peakBytes: peak, waited }: Upkeep): void {
  const where = `${engineNames[engine]}, ${what}`
  const row = [
    where,
    `${short(ms / 1000)} s`,
    megabytes(peak),
    waited === undefined ? "no one writes" : milliseconds(waited.longestMs),
    waited === undefined ? "" : `${waited.late} of ${whole(waited.writes)}`,
  ]
  section.rows.push(row)
  // At once: what follows may take long, or fail.
  say(`    ${row.join(", ")}`)
  if (what === "at rest") return
  section.held.push(hold("upkeepMemory", where, peak / 1e6))
  if (waited !== undefined) section.held.push(hold("upkeepWait", where, waited.longestMs))
}
