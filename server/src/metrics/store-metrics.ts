import type { Registry } from "prom-client"
import { engineOf } from "../db/engine.ts"
import type { Reader } from "../db/schema.ts"
import { databaseBytes, diskOf, embeddedBytes, lastBackupAt } from "../db/store-health.ts"
import { addGauge, inTime } from "./plain-numbers.ts"

/** What an operator has to act on before the store fails. All processes answer alike. */
export function addStoreMetrics(registry: Registry, { db, dataDir }: { db: Reader; dataDir: string }): void {
  addGauge(registry, {
    name: "envkeep_disk_free_bytes",
    help: "Free space on the disk of the data folder.",
    shared: true,
    read: inTime(async () => (await diskOf(dataDir)).freeBytes),
  })
  addGauge(registry, {
    name: "envkeep_disk_total_bytes",
    help: "Size of the disk of the data folder.",
    shared: true,
    read: inTime(async () => (await diskOf(dataDir)).totalBytes),
  })
  addGauge(registry, {
    name: "envkeep_store_bytes",
    help: "What the store takes: the embedded file with its log, or the database in PostgreSQL.",
    shared: true,
    read: inTime(() => (engineOf(db) === "postgres" ? databaseBytes(db) : embeddedBytes(dataDir))),
  })
  addGauge(registry, {
    name: "envkeep_last_backup_timestamp_seconds",
    help: "When `npm run backup` last wrote one, in seconds since 1970.",
    shared: true,
    read: inTime(async () => {
      const at = await lastBackupAt(db)
      return at === undefined ? undefined : at / 1000
    }),
  })
}
