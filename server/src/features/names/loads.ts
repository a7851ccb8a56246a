import type { InputOf, names } from "@envkeep/contract"
import type { Member } from "../../access/caller.ts"
import type { Core } from "../../core/core.ts"
import { bytesAtOnce } from "../environments/scope.ts"
import { descriptionBytes, withBases } from "./rules.ts"
import * as store from "./store.ts"

// How much calls load at most. `route` holds it for them before their rules run.

export function bytesOfDescriptions({ db }: Core, caller: Member, { id }: InputOf<typeof names.list>): Promise<number> {
  return descriptionBytes(db, caller, id)
}

/** What is more is loaded in steps. */
export async function bytesOfNamesAtOnce(
  { db }: Core,
  caller: Member,
  { id }: InputOf<typeof names.inEnvironments>,
): Promise<number> {
  return Math.min(store.loadedBytesOf(await store.environmentsOf(db, caller, id)), bytesAtOnce)
}

export async function bytesOfExample(
  { db }: Core,
  caller: Member,
  { id, environmentId }: InputOf<typeof names.example>,
): Promise<number> {
  const described = await descriptionBytes(db, caller, id)
  const all = await store.environmentsOf(db, caller, id)
  return described + store.loadedBytesOf(environmentId === undefined ? all : withBases(all, environmentId))
}
