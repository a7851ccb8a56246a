import { readdirSync } from "node:fs"
import type { Migration } from "../migrate.ts"

/** The files of this folder, in order. Never edited once merged: `checksums.json` is compared with them. */
export const migrations: readonly Migration[] = await Promise.all(
  readdirSync(import.meta.dirname)
    .filter((file) => /^\d{3}-.*\.ts$/.test(file))
    .toSorted()
    .map(async (file) => {
      const exported: Record<string, Migration> = await import(new URL(file, import.meta.url).href)
      const [migration, ...others] = Object.values(exported)
      if (migration === undefined || others.length > 0) throw new Error(`${file} must export one migration`)
      return migration
    }),
)
