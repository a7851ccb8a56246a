import { type ApiKeyUsage, type apiKeys, type InputOf, keyRefusals, refusalDays, usageDays } from "@envkeep/contract"
import type { Member } from "../../../../access/caller.ts"
import type { Core } from "../../../../core/core.ts"
import { dayMs } from "../../../../durations.ts"
import { notFound } from "../../../../errors.ts"
import { isoTime } from "../../../../iso-time.ts"
import { apiKeyRow } from "../store.ts"
import * as store from "./store.ts"

/** How a key was used lately, and how often it was refused. */
export async function usageOf(
  { db }: Core,
  caller: Member,
  { id }: InputOf<typeof apiKeys.usage>,
): Promise<ApiKeyUsage> {
  if ((await apiKeyRow(db, caller, id)) === undefined) throw notFound("API Key")
  const now = Date.now()
  const today = now - (now % dayMs)
  const daysAgo = (days: number) => today - days * dayMs
  const reads = new Map(
    (await store.readsByDay(db, id, daysAgo(usageDays - 1))).map(({ dayAt, reads }) => [dayAt, reads]),
  )
  const days = Array.from({ length: usageDays }, (_, at) => daysAgo(usageDays - 1 - at))
  const refusals = await store.refusalRows(db, id, daysAgo(refusalDays - 1))
  return {
    days: days.map((day) => ({ day: isoTime(day).slice(0, 10), reads: reads.get(day) ?? 0 })),
    refused: describeRefusals(refusals),
  }
}

function describeRefusals(rows: readonly store.RefusalRow[]): ApiKeyUsage["refused"] {
  const countOf = (some: readonly store.RefusalRow[]) => some.reduce((sum, { refused }) => sum + refused, 0)
  const [last] = rows.toSorted((one, other) => other.lastAt - one.lastAt)
  return {
    count: countOf(rows),
    reasons: keyRefusals
      .map((reason) => ({ reason, count: countOf(rows.filter((row) => row.reason === reason)) }))
      .filter(({ count }) => count > 0),
    last: last === undefined ? null : { at: isoTime(last.lastAt), from: last.network },
  }
}
