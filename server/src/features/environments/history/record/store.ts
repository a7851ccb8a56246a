import { sql } from "kysely"
import type { Action } from "../../../../access/actions.ts"
import type { Member } from "../../../../access/caller.ts"
import { isListed, listed } from "../../../../db/listed.ts"
import { prepared } from "../../../../db/prepared.ts"
import type { Tx } from "../../../../db/schema.ts"
import type { LockedEnvironment } from "../../lock.ts"

// What raises an environment's revision calls `addRevision` or `addInherited`, in the same transaction, and nothing else may.

/**
 * The versions of items that the next revision has written under these names. Copied inside the database, because values
 * can be long.
 */
export async function addVersions(
  tx: Tx,
  { id }: LockedEnvironment,
  names: readonly string[],
  previousName: string | null = null,
): Promise<void> {
  if (names.length === 0) return
  await sql`
    insert into item_version (environment_id, revision, name, sealed_value, item_id, previous_name)
    select environment_id, revision, name, sealed_value, id, cast(${previousName} as text)
    from item where environment_id = ${id} and ${isListed(tx, "name", listed(tx, names))}`.execute(tx)
}

/** That the next revision has removed these items, or given them other names. */
export async function addRemovals(
  tx: Tx,
  environment: LockedEnvironment,
  items: readonly { id: number; name: string }[],
): Promise<void> {
  if (items.length === 0) return
  const version = { environment_id: environment.id, revision: environment.revision + 1, sealed_value: null }
  await tx
    .insertInto("item_version")
    .values(items.map(({ id, name }) => ({ ...version, name, item_id: id })))
    .execute()
}

export interface RevisionCounts {
  added: number
  changed: number
  removed: number
  /** The revision that was restored, or that was copied from. */
  source?: number | null | undefined
  /** The environment that was copied from. */
  sourceEnvironment?: { id: number; name: string } | undefined
}

interface Maker {
  caller: Member
  action: Action
  note?: string
}

interface NumberedRevision {
  environmentId: number
  number: number
  /** Null if the environment is known to have none. It is not looked up then. */
  baseId?: number | null
}

/** Who made a revision, when and how. */
export async function addRevision(
  tx: Tx,
  { caller, action, note = "" }: Maker,
  { environmentId, number, baseId }: NumberedRevision,
  { source = null, sourceEnvironment, ...counts }: RevisionCounts = { added: 0, changed: 0, removed: 0 },
): Promise<void> {
  const by = { actor: caller.kind, userId: caller.userId, username: caller.username }
  const from = {
    source,
    sourceEnvironmentId: sourceEnvironment?.id ?? null,
    sourceEnvironmentName: sourceEnvironment?.name ?? null,
  }
  const base = baseId === null ? "without a base" : "with its base"
  await revisionInsert(tx, { environmentId, number, action, note, ...by, ...counts, ...from, now: Date.now() }, base)
}

interface NewRevision extends Omit<RevisionCounts, "source" | "sourceEnvironment"> {
  environmentId: number
  number: number
  action: Action
  actor: string
  userId: number
  username: string
  note: string
  source: number | null
  sourceEnvironmentId: number | null
  sourceEnvironmentName: string | null
  now: number
}

const revisionInsert = prepared((tx: Tx, given: NewRevision, base: "with its base" | "without a base") =>
  tx.insertInto("revision").values({
    environment_id: given.environmentId,
    number: given.number,
    created_at: given.now,
    action: given.action,
    actor: given.actor,
    actor_id: given.userId,
    actor_name: given.username,
    note: given.note,
    added: given.added,
    changed: given.changed,
    removed: given.removed,
    source: given.source,
    source_environment_id: given.sourceEnvironmentId,
    source_environment_name: given.sourceEnvironmentName,
    ...(base === "without a base" ? {} : baseOf(tx, given.environmentId)),
  }),
)

function baseOf(tx: Tx, environmentId: number) {
  const environment = tx.selectFrom("environment").where("environment.id", "=", environmentId)
  return {
    base_id: environment.select("environment.base_id"),
    base_revision: environment
      .innerJoin("environment as base", "base.id", "environment.base_id")
      .select("base.revision"),
  }
}

/** An environment that has a new revision because its base has one. */
export interface Heir {
  id: number
  revision: number
  baseId: number
  baseRevision: number
}

/** The revisions of environments that inherit a change, all in one statement. */
export async function addInherited(tx: Tx, { userId, username, kind }: Member, heirs: readonly Heir[]): Promise<void> {
  const action: Action = "environment.inherit"
  await tx
    .insertInto("revision")
    .values(
      heirs.map(({ id, revision, baseId, baseRevision }) => ({
        environment_id: id,
        number: revision,
        created_at: Date.now(),
        action,
        actor: kind,
        actor_id: userId,
        actor_name: username,
        note: "",
        added: 0,
        changed: 0,
        removed: 0,
        base_id: baseId,
        base_revision: baseRevision,
      })),
    )
    .execute()
}
