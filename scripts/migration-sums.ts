import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

const folder = join(import.meta.dirname, "../server/src/db/migrations")
export const sumsFile = join(folder, "checksums.json")

/** The sums of all migrations. One that was summed before keeps its sum, so that a test notices an edit. */
export function migrationSums(): string {
  const known: Record<string, string> = JSON.parse(readFileSync(sumsFile, "utf8"))
  const files = readdirSync(folder).filter((file) => /^\d{3}-.*\.ts$/.test(file))
  const sums = files.toSorted().map((file) => [file, known[file] ?? sumOf(file)])
  return `${JSON.stringify(Object.fromEntries(sums), null, 2)}\n`
}

function sumOf(file: string): string {
  return createHash("sha256")
    .update(readFileSync(join(folder, file)))
    .digest("hex")
}
