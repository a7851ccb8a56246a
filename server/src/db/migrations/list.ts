import type { Migration } from "../migrate.ts"
import checksums from "./checksums.json" with { type: "json" }

/**
 * In order. `npm run docs` adds a new file of this folder to `checksums.json`; a migration is never edited once it is
 * merged, and a test compares the files with their sums.
 */
export const migrations: readonly Migration[] = await Promise.all(Object.keys(checksums).toSorted().map(load))

/** By the name of the migration. A store keeps those of the migrations that it has run. */
export const migrationSums: ReadonlyMap<string, string> = new Map(
  Object.entries(checksums).map(([file, sum]) => [file.slice(0, -".ts".length), sum]),
)

async function load(file: string): Promise<Migration> {
  // The pattern tells the bundler which files may be asked for.
  const exported: Record<string, Migration> = await import(`./0${file.slice(1, -".ts".length)}.ts`)
  const [migration, ...others] = Object.values(exported)
  if (migration === undefined || others.length > 0) throw new Error(`${file} must export one migration`)
  return migration
}
