import { type Conflict, sentences } from "@envkeep/contract"
import type { Action } from "../../../access/actions.ts"
import type { Tx } from "../../../db/schema.ts"
import { type AppError, conflict } from "../../../errors.ts"
import { isoTime } from "../../../iso-time.ts"
import type { LockedEnvironment } from "../change-environment.ts"
import { inheritedSince, lastDone, makersOf, namesSince } from "./store.ts"

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
  if (revision === undefined || !(await hasChangedSince(tx, environment, revision))) return
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

/** Whether the environment itself has changed since a revision. What it inherits may have. */
export async function hasChangedSince(tx: Tx, environment: LockedEnvironment, revision: number): Promise<boolean> {
  if (revision === environment.revision) return false
  return (await inheritedSince(tx, environment, revision)) !== environment.revision - revision
}

/** Enough to show. Who needs all of them reads the changes between the two revisions. */
const maxConflicts = 100
const maxVersions = 1_000

export async function refuseIfRenamed(
  tx: Tx,
  environment: { id: number; name: string },
  revision: number | undefined,
): Promise<void> {
  await refuseIfDone(tx, environment, { action: "environment.rename", revision, sentence: sentences.renamedMeanwhile })
}

export async function refuseIfRebased(
  tx: Tx,
  environment: { id: number; name: string },
  revision: number | undefined,
): Promise<void> {
  await refuseIfDone(tx, environment, { action: "environment.rebase", revision, sentence: sentences.rebasedMeanwhile })
}

async function refuseIfDone(
  tx: Tx,
  environment: { id: number; name: string },
  { action, revision, sentence }: { action: Action; revision: number | undefined; sentence: string },
): Promise<void> {
  const doneBy = revision === undefined ? undefined : await lastDone(tx, environment, { action, after: revision })
  if (doneBy === undefined) return
  const { id, name } = environment
  throw await conflictOf(tx, environment, sentence, [{ id, name, revision: doneBy, isDeleted: false }])
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
      at: maker === undefined ? null : isoTime(maker.createdAt),
    }
  })
  return conflict(sentence, { conflicts })
}
