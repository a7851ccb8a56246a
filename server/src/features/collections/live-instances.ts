import { hash } from "node:crypto"
import { allows, type InstanceCount, type Level } from "@envkeep/contract"
import { type Member, scopeReaches } from "../../access/caller.ts"
import { eachWithPauses } from "../../bounds/turns.ts"
import type { Reader } from "../../db/schema.ts"
import { minuteMs } from "../../durations.ts"
import type { EventReader } from "../../http/event-readers.ts"
import { eventBytes } from "../../http/event-stream.ts"
import { runningIn } from "../instances/rules.ts"

/** A screen that may be shown what runs. The topic is the collection. */
export interface InstancesReader extends EventReader {
  caller: Member
  /** As it was told. */
  role: Level | undefined
  /** What it was told of instances. */
  toldInstances: string
}

/** Nothing runs: a screen that was told nothing shows nothing. */
export const noInstances = ""

/**
 * Tells screens what runs with the environments of their collections, if that is not what they were told last. The counts are
 * read once for all of them, and their roles once more for those that are about to be told.
 */
export async function tellInstances<Screen extends InstancesReader>(
  db: Reader,
  screens: readonly Screen[],
  rolesFor: (screens: readonly Screen[]) => Promise<ReadonlyMap<Screen, Level>>,
): Promise<void> {
  const may = screens.filter(({ role, caller }) => mayRead(role) && scopeReaches(caller, "editor"))
  if (may.length === 0) return

  const running = await runningIn(db, [...new Set(may.map(({ topic }) => topic))])
  const news = new Map<string, News>()
  const newsFor = ({ topic }: Screen, role: Level) => {
    const seesProtected = allows(role, "editor", { isProtected: true })
    const known = news.get(`${topic} ${seesProtected}`)
    if (known !== undefined) return known
    const rows = running.get(topic)?.filter(({ isProtected }) => seesProtected || isProtected === 0) ?? []
    const made = newsOf(rows)
    news.set(`${topic} ${seesProtected}`, made)
    return made
  }

  const behind = may.filter((one) => one.role !== undefined && newsFor(one, one.role).told !== one.toldInstances)
  if (behind.length === 0) return
  const roles = await rolesFor(behind)
  await eachWithPauses(behind, (screen) => {
    const role = roles.get(screen)
    if (role === undefined || !mayRead(role)) return
    const { told, event } = newsFor(screen, role)
    if (told === screen.toldInstances) return
    screen.toldInstances = told
    screen.stream.send(event)
  })
}

function mayRead(role: Level | undefined): boolean {
  return role !== undefined && allows(role, "editor")
}

interface News {
  told: string
  event: Buffer
}

/**
 * What runs is not in it: a screen that has read it reads it again if the id is another one. That something was seen again is
 * told once a minute, for open lists of what runs.
 */
function newsOf(rows: readonly (InstanceCount & { seenAt: number })[]): News {
  const counts = rows.map(({ environmentId, running, current }) => [environmentId, running, current])
  const tag = hash("sha256", JSON.stringify(counts), "base64url").slice(0, 22)
  const seenMinute = Math.floor(Math.max(0, ...rows.map(({ seenAt }) => seenAt)) / minuteMs)
  return {
    told: rows.length === 0 ? noInstances : `${tag} ${seenMinute}`,
    event: eventBytes("instances", {}, tag),
  }
}
