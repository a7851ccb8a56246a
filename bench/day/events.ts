import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import type { Cleanup } from "../cleanup.ts"
import { startProduct } from "../product.ts"
import { createClient } from "../soak/client.ts"
import { freshFolder } from "../store-location.ts"
import { mustRun, runCommand, type Store } from "./commands.ts"
import type { Database } from "./database.ts"
import type { Day } from "./day.ts"
import type { Nodes } from "./nodes.ts"
import { readOnce } from "./readers.ts"

export interface Place {
  cleanup: Cleanup
  database: Database
  nodes: Nodes
  /** The root key that the nodes have now. */
  rootKey: string
}

/** A node notices within about a second that the database is back. */
const backWithinMs = 10_000

/** What happens to the servers, and when, as a part of the run. Half of the run comes after them. */
export function eventsOf(day: Day, place: Place): { part: number; name: string; run: () => Promise<void> }[] {
  return [
    { part: 0.08, name: "rolling restart", run: () => restart(day, place, "rolling restart") },
    { part: 0.18, name: "backup", run: () => backup(day, place) },
    { part: 0.24, name: "root-key rotation", run: () => rotation(day, place) },
    { part: 0.36, name: "fail-over", run: () => failOver(day, place) },
    { part: 0.44, name: "second rolling restart", run: () => restart(day, place, "second rolling restart") },
  ]
}

/** As scaling.md says: SIGTERM, wait until it has ended, start it, wait for `/readyz`; then the next. */
async function restart({ timeline }: Day, { nodes }: Place, name: string, rootKey?: string): Promise<void> {
  const end = timeline.begin("restart", name)
  await nodes.restartAll(rootKey).finally(end)
}

/** Backs the store up under traffic, restores it into an empty database, and reads it there. */
async function backup(day: Day, place: Place): Promise<void> {
  const { cleanup, database, rootKey } = place
  const file = join(await freshFolder({ cleanup }), "day.backup")
  const end = day.timeline.begin("backup", "backup")
  const beganAt = performance.now()
  await mustRun(storeOf(place), ["backup", file]).finally(end)
  const restored = {
    databaseUrl: await database.newDatabase("restored"),
    dataDir: await freshFolder({ cleanup }),
    rootKey,
  }
  await mustRun(restored, ["restore", file])
  await mustRun(restored, ["doctor"])
  // It may not send to the receiver of the nodes: the address of the receiver is not allowed here.
  const copy = await startProduct(
    { cleanup },
    { engine: "postgres", ...restored },
    { env: { ENVKEEP_ROOT_KEY: rootKey } },
  )
  for (const { at, key, name } of day.stage.environments) {
    const answer = await fetch(`${copy.url}/api/v1/variables`, { headers: { authorization: `Bearer ${key}` } })
    const text = await answer.text()
    const faults = answer.ok ? day.ledger.faults(at, JSON.parse(text), beganAt) : [`${answer.status} ${text}`]
    for (const fault of faults) day.findings.note("lost", `restored backup, ${name}: ${fault}`)
  }
  await copy.stop()
}

/** The three steps of self-hosting.md for a key that is in the settings. */
async function rotation(day: Day, place: Place): Promise<void> {
  const old = storeOf(place)
  const end = day.timeline.begin("rotation", "root-key rotation")
  try {
    await mustRun(old, ["rotate-root-key"])
    place.rootKey = (await readFile(join(place.nodes.dataDir, "root.key.next"), "utf8")).trim()
    await restart(day, place, "restart with the new root key", place.rootKey)
    await mustRun(storeOf(place), ["rotate-root-key", "--finish"])
  } finally {
    end()
  }
  const { code } = await runCommand(old, ["doctor"])
  if (code !== 78) throw new Error(`after the rotation, a command with the old root key ended with exit code ${code}`)
}

async function failOver(day: Day, { database, nodes }: Place): Promise<void> {
  const end = day.timeline.begin("away", "fail-over")
  const beganAt = performance.now()
  try {
    await database.failOver()
    await checkEverywhere(day, nodes, beganAt)
  } finally {
    end()
  }
}

/** Reads everything on every node, which must have all that was confirmed before `since`. */
export async function checkEverywhere(day: Day, nodes: Nodes, since: number): Promise<void> {
  await nodes.untilReady()
  const timeout = AbortSignal.timeout(backWithinMs)
  for (const [node, url] of nodes.urls.entries()) {
    const client = createClient(Number(new URL(url).port))
    for (const environment of day.stage.environments) {
      let answer = await readOnce(day, client, { environment })
      while (answer?.isStale && !timeout.aborted) {
        await wait(50)
        answer = await readOnce(day, client, { environment })
      }
      const stillAway = answer === undefined || answer.isStale
      if (stillAway) throw new Error(`node ${node} did not read from the database within ${backWithinMs} ms`)
      const faults = day.ledger.faults(environment.at, JSON.parse(answer?.text ?? "{}"), since)
      for (const fault of faults) day.findings.note("lost", `node ${node}, ${environment.name}: ${fault}`)
    }
    client.close()
  }
}

export function storeOf({ database, nodes, rootKey }: Place): Store {
  return { databaseUrl: database.url, dataDir: nodes.dataDir, rootKey }
}
