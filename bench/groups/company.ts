import { execFile } from "node:child_process"
import { statfs } from "node:fs/promises"
import { tmpdir } from "node:os"
import { promisify } from "node:util"
import { type Bench, engineNames, type engines, type Group } from "../bench.ts"
import { callsSection, measureCalls } from "../company/calls.ts"
import { fillStore } from "../company/fill.ts"
import { measureReads, readsSection } from "../company/reads.ts"
import { companySize, department, type Size, smallSize } from "../company/size.ts"
import { storeBytes } from "../company/store-bytes.ts"
import { measureMigration, measureUpkeep, upkeepSection } from "../company/upkeep.ts"
import { megabytes, type Section, short, whole } from "../report.ts"
import { newStoreLocation, type StoreLocation } from "../store-location.ts"

type Engine = (typeof engines)[number]

/** A group for each engine: the disk has room for one such store, its backup, and what is restored from it. */
export function companyOn(engine: Engine): Group {
  return {
    name: `company-${engine}`,
    async run(bench) {
      const sections = { store: storeSection(), calls: callsSection(), reads: readsSection(), upkeep: upkeepSection() }
      await measure(bench, engine, sections)
      return Object.values(sections)
    },
  }
}

type Sections = Record<"store" | "calls" | "reads" | "upkeep", Section>

function storeSection(): Section {
  return {
    title: "A company's store",
    how: "What is stored for the tables below: with API keys, members, teams, a trash, and values that are really sealed; a few environments have thousands of items, and most have some. Each item has as many versions as the disk has room for, and at most five. `--scale` says how much of a company it is; 1 is 10,000,000 items.",
    columns: ["", "users", "teams", "collections", "environments", "items", "versions", "events", "on disk", "made in"],
    rows: [],
    held: [],
  }
}

async function measure(bench: Bench, engine: Engine, sections: Sections): Promise<void> {
  const { bavail, bsize } = await statfs(tmpdir())
  const size = companySize(bench.options.scale, bavail * bsize)
  const pair = { small: await filled(bench, engine, smallSize(size)), large: await filled(bench, engine, size) }
  const { large } = pair
  const { users, teams, collections, environments, items, versions, events } = size
  sections.store.rows.push([
    engineNames[engine],
    ...[users, teams, collections, environments, items, versions, events].map(whole),
    megabytes(await storeBytes(large.location)),
    `${short(large.seconds)} s`,
  ])
  bench.say(`  ${engineNames[engine]}: an upgrade`)
  await measureMigration(bench, engine, large.location, sections.upkeep)
  bench.say(`  ${engineNames[engine]}: every call`)
  await measureCalls(bench, engine, { small: pair.small.location, large: large.location }, sections.calls)
  bench.say(`  ${engineNames[engine]}: reads by key`)
  await measureReads(bench, engine, large.location, sections.reads)
  // At once: what follows takes an hour.
  for (const { promise, where, measured } of [...sections.calls.held, ...sections.reads.held]) {
    bench.say(`    ${promise}: ${where}: ${short(measured)}`)
  }
  bench.say(`  ${engineNames[engine]}: upkeep`)
  await measureUpkeep(bench, engine, large.location, sections.upkeep)
}

async function filled(bench: Bench, engine: Engine, size: Size): Promise<{ location: StoreLocation; seconds: number }> {
  bench.say(`  ${engineNames[engine]}: storing ${whole(size.items)} items and ${whole(size.versions)} versions`)
  const location = await newStoreLocation(bench, engine)
  const began = performance.now()
  await fillStore(location, [department, size], bench.say)
  // What the system still has to write would be waited for in what is measured next.
  await promisify(execFile)("sync")
  return { location, seconds: (performance.now() - began) / 1000 }
}
