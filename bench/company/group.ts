import { execFile } from "node:child_process"
import { statfs } from "node:fs/promises"
import { tmpdir } from "node:os"
import { promisify } from "node:util"
import type { Bench, Group } from "../bench.ts"
import { hold } from "../budgets.ts"
import { type Engine, engineNames } from "../engines.ts"
import { type Head, megabytes, type Section, short, times, whole } from "../report.ts"
import { addOwner, type Store, serve, serveNew } from "../served.ts"
import { newStoreLocation, type StoreLocation, storeBytes } from "../store.ts"
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
      const sections = [
        emptySection(storeHead),
        emptySection(callsHead),
        emptySection(readsHead),
        emptySection(upkeepHead),
      ]
      const [store, calls, reads, upkeep] = sections as [Section, Section, Section, Section]
      const { bavail, bsize } = await statfs(tmpdir())
      const size = companySize(bench.options.scale, bavail * bsize)
      const small = await filled(bench, engine, smallSize(size))
      const large = await filled(bench, engine, size)
      const { users, teams, collections, environments, items, versions, events } = size
      store.rows.push([
        engineNames[engine],
        ...[users, teams, collections, environments, items, versions, events].map(whole),
        megabytes(await storeBytes(large.location)),
        `${short(large.seconds)} s`,
      ])
      const kept = { bench, engine, large: large.location, section: upkeep }
      bench.say("  an upgrade")
      await measureMigration(kept)
      bench.say("  every call")
      await measureCalls(bench, engine, { small: small.location, large: large.location }, calls)
      bench.say("  reads by key")
      const withOwner = await addOwner(bench, large.location, 50)
      await measureReads(bench, engine, withOwner, reads)
      // At once: what follows takes an hour.
      for (const { promise, where, measured } of [...calls.held, ...reads.held]) {
        bench.say(`    ${promise}: ${where}: ${short(measured)}`)
      }
      bench.say("  upkeep")
      await measureUpkeep(kept, withOwner)
      return sections
    },
  }
}

const emptySection = (head: Head): Section => ({ ...head, rows: [], held: [] })

async function filled(bench: Bench, engine: Engine, size: Size): Promise<{ location: StoreLocation; seconds: number }> {
  bench.say(`  storing ${whole(size.items)} items and ${whole(size.versions)} versions`)
  const location = await newStoreLocation(bench, engine)
  const began = performance.now()
  await fillStore(location, [department, size], bench.say)
  // What the system still has to write would be waited for in what is measured next.
  await promisify(execFile)("sync")
  return { location, seconds: (performance.now() - began) / 1000 }
}

async function measureReads(bench: Bench, engine: Engine, store: Store, section: Section): Promise<void> {
  const empty = await serveNew(bench, engine)
  const large = await serve(bench, store)
  const { first, second, ratio } = await compare(bench.options.race.turns, empty.readRate, large.readRate)
  for (const { stop } of [empty, large]) await stop()
  section.rows.push([engineNames[engine], `${whole(first)}/s`, `${whole(second)}/s`, times(ratio)])
  section.held.push(hold("companyReads", engineNames[engine], ratio))
}
