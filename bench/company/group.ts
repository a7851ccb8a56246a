import { execFile } from "node:child_process"
import { statfs } from "node:fs/promises"
import { tmpdir } from "node:os"
import { promisify } from "node:util"
import type { StoreLocation } from "@envkeep/testing/store-location.ts"
import { type Bench, emptySection, type Group, type Rows, rowsOf } from "../bench.ts"
import type { Engine } from "../options.ts"
import { megabytes, short, times, whole } from "../report.ts"
import { addOwner, type Store, serve, serveNew } from "../served.ts"
import { newStoreLocation, storeBytes } from "../store.ts"
import { compare } from "../turns.ts"
import { callsHead, measureCalls } from "./calls.ts"
import { fillStore } from "./fill.ts"
import { companySize, department, type Size, smallSize } from "./size.ts"
import { measureMigration, measureUpkeep, upkeepHead } from "./upkeep.ts"

const storeHead = {
  title: "A company's store",
  how: "What is stored for the tables below: with API keys, members, teams, a trash, and values that are really sealed; a few environments have thousands of items, and most have some. Each item has as many versions as the disk has room for, and at most five. `--scale` says how much of a company it is; 1 is 10,000,000 items.",
  columns: ["", "users", "teams", "collections", "environments", "items", "versions", "events", "on disk", "made in"],
}

const readsHead = {
  title: "Reads by key in a company's store",
  how: "An environment of 50 variables, from memory over 64 connections: in a store that holds nothing else, and in the company's.",
  columns: ["", "empty store", "company's store", "of the empty one"],
}

/** A group for each engine: the disk has room for one such store, its backup, and what is restored from it. */
export function companyOn(engine: Engine): Group {
  return {
    name: `company-${engine}`,
    async run(bench) {
      const sections = [storeHead, callsHead, readsHead, upkeepHead].map(emptySection)
      const [store, calls, reads, upkeep] = sections.map((one) => rowsOf(one, engine)) as [Rows, Rows, Rows, Rows]
      const { bavail, bsize } = await statfs(tmpdir())
      const size = companySize(bench.options.scale, bavail * bsize)
      const small = await filled(bench, engine, smallSize(size))
      const large = await filled(bench, engine, size)
      const onDisk = megabytes(await storeBytes(large.location))
      store.add("", ...Object.values(size).map(whole), onDisk, `${short(large.seconds)} s`)
      const kept = { bench, engine, large: large.location, rows: upkeep }
      bench.say("  an upgrade")
      await measureMigration(kept)
      bench.say("  every call")
      await measureCalls(bench, engine, { small: small.location, large: large.location }, calls)
      bench.say("  reads by key")
      const withOwner = await addOwner(bench, large.location, 50)
      await measureReads(bench, engine, withOwner, reads)
      // At once: what follows takes an hour.
      for (const { promise, where, measured } of sections.flatMap(({ held }) => held)) {
        bench.say(`    ${promise}: ${where}: ${short(measured)}`)
      }
      bench.say("  upkeep")
      await measureUpkeep(kept, withOwner)
      return sections
    },
  }
}

async function filled(bench: Bench, engine: Engine, size: Size): Promise<{ location: StoreLocation; seconds: number }> {
  bench.say(`  storing ${whole(size.items)} items and ${whole(size.versions)} versions`)
  const location = await newStoreLocation(bench, engine)
  const began = performance.now()
  await fillStore(location, [department, size], bench.say)
  // What the system still has to write would be waited for in what is measured next.
  await promisify(execFile)("sync")
  return { location, seconds: (performance.now() - began) / 1000 }
}

async function measureReads(bench: Bench, engine: Engine, store: Store, rows: Rows): Promise<void> {
  const empty = await serveNew(bench, engine)
  const large = await serve(bench, store)
  const { first, second, ratio } = await compare(bench.options.race.turns, empty.readRate, large.readRate)
  for (const { stop } of [empty, large]) await stop()
  rows.add("", `${whole(first)}/s`, `${whole(second)}/s`, times(ratio))
  rows.hold("companyReads", "", ratio)
}
