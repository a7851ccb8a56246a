import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import type { Cleanup } from "../bench.ts"
import { clientOf } from "../client.ts"
import { mustRun, runCommand, startProduct } from "../product.ts"
import { readText } from "../stock.ts"
import { freshFolder } from "../store.ts"
import type { Database, Nodes } from "./nodes.ts"
import { readOnce } from "./programs.ts"
import type { Day } from "./shared.ts"

interface Place {
  cleanup: Cleanup
  database: Database
  nodes: Nodes
}

/** A node notices within about a second that the database is back. */
const backWithinMs = 10_000

/** What happens to the servers, and when, as a part of the run. Half of the run comes after them. */
export function eventsOf(day: Day, place: Place): { part: number; name: string; run: () => Promise<void> }[] {
  const restart = (name: string) => () => day.journal.during("restart", name, () => place.nodes.restartAll())
  return [
    { part: 0.08, name: "rolling restart", run: restart("rolling restart") },
    { part: 0.18, name: "backup", run: () => backup(day, place) },
    { part: 0.24, name: "root-key rotation", run: () => rotation(day, place) },
    { part: 0.36, name: "fail-over", run: () => failOver(day, place) },
    { part: 0.44, name: "second rolling restart", run: restart("second rolling restart") },
  ]
}

/** Backs the store up under traffic, restores it into an empty database, and reads it there. */
async function backup({ journal, stage, ledger }: Day, { cleanup, database, nodes }: Place): Promise<void> {
  const file = join(await freshFolder(cleanup), "day.backup")
  const beganAt = performance.now()
  await journal.during("backup", "backup", () => mustRun(nodes.store(), ["backup", file]))
  const { rootKey } = nodes.store()
  const restored = { databaseUrl: await database.newDatabase("restored"), dataDir: await freshFolder(cleanup), rootKey }
  await mustRun(restored, ["restore", file])
  await mustRun(restored, ["doctor"])
  // It may not send to the receiver of the nodes: the address of the receiver is not allowed here.
  const copy = await startProduct(cleanup, restored, { env: { ENVKEEP_ROOT_KEY: rootKey } })
  for (const { at, key, name } of stage.environments) {
    for (const fault of ledger.faults(at, JSON.parse(await readText(copy.url, key)), beganAt)) {
      journal.note("dayLost", `restored backup, ${name}: ${fault}`)
    }
  }
  await copy.stop()
}

/** The three steps of self-hosting.md for a key that is in the settings. */
async function rotation({ journal }: Day, { nodes }: Place): Promise<void> {
  const old = nodes.store()
  await journal.during("rotation", "root-key rotation", async () => {
    await mustRun(nodes.store(), ["rotate-root-key"])
    await nodes.takeNextKey()
    await journal.during("restart", "restart with the new root key", () => nodes.restartAll())
    await mustRun(nodes.store(), ["rotate-root-key", "--finish"])
  })
  const { code } = await runCommand(old, ["doctor"])
  if (code !== 78) throw new Error(`after the rotation, a command with the old root key ended with exit code ${code}`)
}

async function failOver(day: Day, { database, nodes }: Place): Promise<void> {
  await day.journal.during("away", "fail-over", async () => {
    const beganAt = performance.now()
    await database.failOver()
    await checkEverywhere(day, nodes, beganAt)
  })
}

/** Reads everything on every node, which must have all that was confirmed before `since`. */
export async function checkEverywhere(day: Day, nodes: Nodes, since: number): Promise<void> {
  await nodes.untilReady()
  const timeout = AbortSignal.timeout(backWithinMs)
  for (const port of nodes.ports) {
    const client = clientOf(`http://127.0.0.1:${port}`)
    for (const environment of day.stage.environments) {
      let answer = await readOnce(day, client, { environment })
      while (answer?.isStale && !timeout.aborted) {
        await wait(50)
        answer = await readOnce(day, client, { environment })
      }
      if (answer === undefined || answer.isStale) {
        throw new Error(`the node on port ${port} did not read from the database within ${backWithinMs} ms`)
      }
      const faults = day.ledger.faults(environment.at, JSON.parse(answer.text), since)
      for (const fault of faults) day.journal.note("dayLost", `port ${port}, ${environment.name}: ${fault}`)
    }
    client.close()
  }
}
