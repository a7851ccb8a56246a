import { waitTimeoutMs } from "../time-limits.ts"
import { newPlace, type OwnPostgres, runTool, serve } from "./postgres.ts"

/** A second server that follows a primary. */
export interface Standby extends OwnPostgres {
  /** Makes it a primary that waits for no standby. Resolves when it accepts writes. */
  promote(): Promise<void>
}

/** Copies a primary and follows it. From then on the primary confirms a commit only once the standby has it on disk. */
export async function startStandby(primary: OwnPostgres, { durable = false } = {}): Promise<Standby> {
  const place = newPlace(durable)
  // `-R` writes down where the primary is, and that this is a standby.
  const copy = ["-d", primary.url, "-D", place.data, "-R", "-X", "stream", "--checkpoint=fast"]
  await runTool(place, "pg_basebackup", durable ? copy : [...copy, "--no-sync"])
  const standby = await serve(place)
  const ask = async (sql: string) => (await runTool(place, "psql", ["-d", primary.url, "-Atc", sql])).trim()
  // The copy was made before, so the standby itself has no such setting and, once promoted, waits for no one.
  await ask("alter system set synchronous_standby_names = '*'")
  await ask("select pg_reload_conf()")
  for (
    const timeout = AbortSignal.timeout(waitTimeoutMs);
    (await ask("select sync_state from pg_stat_replication")) !== "sync";
  ) {
    if (timeout.aborted) throw new Error("the standby does not follow its primary")
  }
  return { ...standby, promote }

  async function promote(): Promise<void> {
    await runTool(place, "pg_ctl", ["promote", "-w", "-D", place.data])
  }
}
