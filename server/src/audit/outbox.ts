import { webhookKindOf } from "@envkeep/contract"
import type { Action } from "../access/actions.ts"
import type { Tx } from "../db/schema.ts"
import { newMessageId } from "../keys/token.ts"

/** Also of commands, which write without the door. */
export type Writer = Pick<Tx, "selectFrom" | "insertInto" | "getExecutor">

/** An event that was just recorded. */
export interface RecordedEvent {
  id: number
  action: Action
  collectionId: number
  environmentId: number | null
  now: number
}

/**
 * Queues an event for the webhooks of its collection, in the transaction of the change: what is not committed is not
 * delivered, and what is committed is. Returns how many deliveries there are.
 */
export async function queueDeliveries(tx: Writer, event: RecordedEvent): Promise<number> {
  const kind = webhookKindOf(event.action)
  if (kind === undefined) return 0
  const webhooks = await tx
    .selectFrom("webhook")
    .select(["id", "kinds", "is_limited as isLimited"])
    .where("collection_id", "=", event.collectionId)
    .where("is_enabled", "=", 1)
    .orderBy("id")
    .execute()
  const wanting = webhooks.filter(({ kinds }) => kinds === null || JSON.parse(kinds).includes(kind))
  const limited = wanting.filter(({ isLimited }) => isLimited === 1).map(({ id }) => id)
  const told = await toldOf(tx, event, limited)
  const chosen = wanting.filter(({ id, isLimited }) => isLimited === 0 || told.has(id))
  if (chosen.length === 0) return 0
  await tx
    .insertInto("webhook_delivery")
    .values(({ selectFrom }) =>
      chosen.map(({ id }) => ({
        webhook_id: id,
        message_id: newMessageId(),
        audit_event_id: event.id,
        revision: selectFrom("environment").select("revision").where("id", "=", event.environmentId),
        created_at: event.now,
      })),
    )
    .execute()
  return chosen.length
}

/** Of webhooks that are limited to environments, those for this one, or for one that inherits from it. */
async function toldOf(
  tx: Writer,
  { environmentId }: RecordedEvent,
  webhookIds: readonly number[],
): Promise<ReadonlySet<number>> {
  if (environmentId === null || webhookIds.length === 0) return new Set()
  const rows = await tx
    .selectFrom("webhook_environment")
    .innerJoin("environment as own", "own.id", "webhook_environment.environment_id")
    // As many as `limits.inheritanceLevels`.
    .leftJoin("environment as base1", "base1.id", "own.base_id")
    .leftJoin("environment as base2", "base2.id", "base1.base_id")
    .leftJoin("environment as base3", "base3.id", "base2.base_id")
    .leftJoin("environment as base4", "base4.id", "base3.base_id")
    .select("webhook_environment.webhook_id as id")
    .distinct()
    .where("webhook_environment.webhook_id", "in", webhookIds)
    .where((eb) =>
      eb.or(
        (["own.id", "base1.id", "base2.id", "base3.id", "base4.id"] as const).map((id) => eb(id, "=", environmentId)),
      ),
    )
    .execute()
  return new Set(rows.map(({ id }) => id))
}
