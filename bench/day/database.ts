import { openAddress } from "@envkeep/testing/machine/address.ts"
import { ownPostgres } from "@envkeep/testing/machine/postgres.ts"
import { startStandby } from "@envkeep/testing/machine/standby.ts"
import type { Cleanup } from "../cleanup.ts"

export interface Database {
  /** The one address that leads to the primary. */
  url: string
  /** Another, empty database on the primary. */
  newDatabase(name: string): Promise<string>
  /** The primary dies, the standby is promoted, and the address leads to it. */
  failOver(): Promise<void>
}

/** A primary and a standby that has everything that the primary confirms, both on disk. */
export async function startDatabase(cleanup: Cleanup): Promise<Database> {
  const primary = await ownPostgres({ durable: true })
  cleanup.later(primary.stop)
  const standby = await startStandby(primary, { durable: true })
  cleanup.later(standby.stop)
  const url = await primary.newDatabase("day")
  const address = await openAddress(url)
  cleanup.later(address.close)
  let current = primary
  return {
    url: address.urlOf(url),
    newDatabase: (name) => current.newDatabase(name),
    async failOver() {
      // Its other processes may live for a moment: a fail-over cuts them off before the standby takes over.
      await primary.kill("SIGKILL")
      address.leadTo(undefined)
      await standby.promote()
      address.leadTo(standby.url)
      current = standby
    },
  }
}
