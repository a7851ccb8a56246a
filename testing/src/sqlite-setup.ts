import { chmod, mkdtemp, rm } from "node:fs/promises"
import { join } from "node:path"
import { migrate } from "@envkeep/server/db/migrator.ts"
import { openDatabase, sqliteFile } from "@envkeep/server/db/open.ts"
import type { TestProject } from "vitest/node"
import { scratchFolder } from "./machine/scratch.ts"

/** Runs the migrations once for the whole test run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(scratchFolder, "envkeep-migrated-"))
  const { db } = await openDatabase({ url: undefined, dataDir })
  await migrate(db)
  await db.destroy()
  const file = join(dataDir, sqliteFile)
  // As a server makes it. A copy has the same.
  await chmod(file, 0o600)
  project.provide("migratedFile", file)
  return () => rm(dataDir, { recursive: true })
}
