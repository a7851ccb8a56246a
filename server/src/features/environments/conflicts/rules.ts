import { type Conflict, sentences } from "@envkeep/contract"
import type { Action } from "../../../access/actions.ts"
import type { Reader, Tx } from "../../../db/schema.ts"
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

/** The ids that items have now, by name. */
type IdsOf = (names: string[]) => Promise<ReadonlyMap<string, number>>

/** What a list was made from must be the current revision: a name that it does not mention would be deleted. */
export async function refuseIfListChanged(
  tx: Tx,
  environment: LockedEnvironment,
  { revision, sentence }: { revision: number | undefined; sentence: string },
  idsOf: IdsOf,
): Promise<void> {
  if (revision === undefined || !(await hasChangedSince(tx, environment, revision))) return
  const changed = await changedSince(tx, environment, revision)
  const ids = await idsOf(changed.map(({ name }) => name))
  const withIds = changed.map((one) => ({ ...one, id: ids.get(one.name) ?? null }))
  throw await conflictOf(tx, environment, sentence, withIds)
}

/** Each name that was written after a revision, by its last version. */
async function changedSince(db: Reader, environment: { id: number }, revision: number): Promise<Changed[]> {
  const last = new Map<string, Changed>()
  for (const { name, ...version } of await namesSince(db, environment, { revision, count: maxVersions })) {
    if (last.size === maxConflicts) break
    const isDeleted = Boolean(version.isDeleted)
    if (!last.has(name)) last.set(name, { id: null, name, revision: version.revision, isDeleted })
  }
  return [...last.values()]
}

/** For an environment that is only read: its items have no ids here. Another change of it is told as one of the environment. */
export async function refuseIfSourceChanged(
  db: Reader,
  source: { id: number; name: string; revision: number },
  revision: number | undefined,
): Promise<void> {
  if (revision === undefined || revision === source.revision) return
  const changed = await changedSince(db, source, revision)
  const { id, name } = source
  const itself = { id, name, revision: source.revision, isDeleted: false }
  const told = changed.length > 0 ? changed : [itself]
  throw await conflictOf(db, source, sentences.sourceChangedMeanwhile, told)
}

/** For a write of one name, whose last version is known. */
export async function refuseIfNameChanged(
  tx: Tx,
  environment: LockedEnvironment,
  { last, revision }: { last: Omit<Changed, "id"> | undefined; revision: number | undefined },
  idsOf: IdsOf,
): Promise<void> {
  if (last === undefined || revision === undefined || last.revision <= revision) return
  const ids = await idsOf([last.name])
  const { name, isDeleted } = last
  const changed = { id: ids.get(name) ?? null, name, revision: last.revision, isDeleted }
  throw await conflictOf(tx, environment, sentences.itemChangedMeanwhile, [changed])
}

/** Whether the environment itself has changed since a revision. What it inherits may have. */
async function hasChangedSince(tx: Tx, environment: LockedEnvironment, revision: number): Promise<boolean> {
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
  db: Reader,
  environment: { id: number },
  sentence: string,
  changed: readonly Changed[],
): Promise<AppError> {
  const makers = await makersOf(db, environment, [...new Set(changed.map(({ revision }) => revision))])
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
