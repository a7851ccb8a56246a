import { type Conflict, sentences } from "@envkeep/contract"
import type { Tx } from "../../db/schema.ts"
import { type AppError, conflict } from "../../errors.ts"
import { makersOf, namesSince, renamedSince } from "./history/record.ts"
import type { LockedEnvironment } from "./lock.ts"

// Writes may say which revision they were made from. If what they change was changed by a later one, they are refused and
// learn by whom and when. Without a revision they are not.

type Changed = Omit<Conflict, "by" | "at">

export interface SeenItem {
  stored: { id: number; name: string; revision: number }
  /** The revision that the write was made from. */
  revision: number | undefined
}

export async function refuseIfChanged(
  tx: Tx,
  environment: LockedEnvironment,
  seen: readonly SeenItem[],
  sentence: string,
): Promise<void> {
  const changed = seen.flatMap(({ stored: { id, name, revision }, revision: from }) =>
    from !== undefined && revision > from ? [{ id, name, revision, isDeleted: false }] : [],
  )
  if (changed.length > 0) throw await conflictOf(tx, environment, sentence, changed)
}

/** What a list was made from must be the current revision: a name that it does not mention would be deleted. */
export async function refuseIfListChanged(
  tx: Tx,
  environment: LockedEnvironment,
  revision: number | undefined,
  idsOf: (names: string[]) => Promise<ReadonlyMap<string, number>>,
): Promise<void> {
  if (revision === undefined || revision === environment.revision) return
  const last = new Map<string, Changed>()
  for (const { name, ...version } of await namesSince(tx, environment, { revision, count: maxVersions })) {
    if (last.size === maxConflicts) break
    const isDeleted = Boolean(version.isDeleted)
    if (!last.has(name)) last.set(name, { id: null, name, revision: version.revision, isDeleted })
  }
  const ids = await idsOf([...last.keys()])
  const changed = [...last.values()].map((one) => ({ ...one, id: ids.get(one.name) ?? null }))
  throw await conflictOf(tx, environment, sentences.changedMeanwhile, changed)
}

/** Enough to show. Who needs all of them reads the changes between the two revisions. */
const maxConflicts = 100
const maxVersions = 1_000

export async function refuseIfRenamed(
  tx: Tx,
  environment: { id: number; name: string },
  revision: number | undefined,
): Promise<void> {
  const renamedBy = revision === undefined ? undefined : await renamedSince(tx, environment, revision)
  if (renamedBy === undefined) return
  const { id, name } = environment
  throw await conflictOf(tx, environment, sentences.renamedMeanwhile, [
    { id, name, revision: renamedBy, isDeleted: false },
  ])
}

async function conflictOf(
  tx: Tx,
  environment: { id: number },
  sentence: string,
  changed: readonly Changed[],
): Promise<AppError> {
  const makers = await makersOf(tx, environment, [...new Set(changed.map(({ revision }) => revision))])
  const conflicts = changed.map((one) => {
    const maker = makers.get(one.revision)
    return {
      ...one,
      by: maker === undefined || maker.actor === "server" ? null : maker.actorName,
      at: maker === undefined ? null : new Date(maker.createdAt).toISOString(),
    }
  })
  return conflict(sentence, { conflicts })
}
