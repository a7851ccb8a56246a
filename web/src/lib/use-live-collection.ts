import {
  allows,
  type Collection,
  type Environment,
  type InstanceCount,
  type LiveEnvironment,
  type LiveState,
} from "@envkeep/contract"
import { type QueryClient, useQueryClient } from "@tanstack/react-query"
import { useEffect, useEffectEvent } from "react"
import { ApiError } from "./api.ts"
import { readCollection } from "./collection-query.ts"
import type { HeldCollection } from "./held-collection.ts"
import { followCollection } from "./live.ts"
import { announceChange } from "./live-changes.ts"
import { notify } from "./notify.ts"
import { forgetCollection, isSignedOut, keys, reloadCollection } from "./state.ts"

/** What this tab has deleted or left itself, by the answers of those calls. Its screens close by that. */
const endedHere = new Set<number>()

/** Called with the answer of the call that deleted or left the collection: the user needs not be told of its end. */
export function collectionEndedHere(id: number): void {
  endedHere.add(id)
}

/**
 * Shows what others change in an open collection. Only what has changed is read again. `onGone` is called when the
 * collection was deleted or the user's access has ended: nothing of it is held any more, and its screen has to close.
 */
export function useLiveCollection(id: number, onGone: () => void): void {
  const client = useQueryClient()
  const leave = useEffectEvent(onGone)
  useEffect(() => {
    // It was restored, or a team still gives access.
    endedHere.delete(id)
    let last = Promise.resolve()
    const waiting: LiveEnvironment[] = []
    // Of the last stream: what was read then may still be held.
    let position = client.getQueryData<string>(keys.livePosition(id))
    let instancesTag: string | undefined
    let unlessTold: number | undefined
    /** One after the other, and after this tab's own writes: what they have changed is not announced. */
    const inTurn = (work: () => Promise<void>) => {
      last = last.then(() => whenWritten(client)).then(work)
    }
    const stop = followCollection(id, {
      onState(state, now) {
        if (position !== undefined && now !== position) void reloadUnnumbered(client, id)
        position = now
        // Where nothing runs, nothing is told.
        window.clearTimeout(unlessTold)
        if (hasInstances(client, id)) unlessTold = window.setTimeout(() => void readInstances(client, id), toldWithinMs)
        inTurn(() => (isCurrent(client, id, state) ? Promise.resolve() : showList(client, id, state)))
      },
      onList(state, now) {
        position = now
        inTurn(() => showList(client, id, state))
      },
      onInstances(tag) {
        window.clearTimeout(unlessTold)
        if (tag !== instancesTag) void readInstances(client, id)
        instancesTag = tag
        void client.invalidateQueries({ queryKey: keys.instanceLists })
      },
      onEnvironment(change) {
        waiting.push(change)
        inTurn(() => showEnvironments(client, id, waiting.splice(0)))
      },
      onUnsure: () =>
        inTurn(async () => {
          await reloadCollection(client, id)
          await reloadUnnumbered(client, id)
        }),
      onEnded: () =>
        inTurn(async () => {
          if (await isOutOfReach(client, id)) leave()
        }),
    })
    return () => {
      window.clearTimeout(unlessTold)
      stop()
      if (!isSignedOut(client)) client.setQueryData(keys.livePosition(id), position)
    }
  }, [client, id])
}

/** What has no revision: what is said about names, which environments are in the trash, and what webhooks tell. */
async function reloadUnnumbered(client: QueryClient, id: number): Promise<void> {
  await Promise.all(
    [keys.names(id), keys.trashedEnvironments(id), keys.webhooks(id)].map((queryKey) =>
      client.invalidateQueries({ queryKey }),
    ),
  )
}

/** The server tells what runs every two seconds, if it has changed. */
const toldWithinMs = 10_000

function hasInstances(client: QueryClient, id: number): boolean {
  const held = client.getQueriesData<InstanceCount[]>({ queryKey: keys.instanceCounts(id) })
  return held.some(([, counts]) => counts !== undefined && counts.length > 0)
}

function readInstances(client: QueryClient, id: number): Promise<void> {
  return client.invalidateQueries({ queryKey: keys.instanceCounts(id) })
}

/** Asks once more: the stream also ends when the session does, and the server refuses it when it is too busy. */
async function isOutOfReach(client: QueryClient, id: number): Promise<boolean> {
  // After a logout the server would only refuse to answer.
  if (endedHere.has(id) || isSignedOut(client)) return false
  const refused = await readCollection(id, client.getQueryData<HeldCollection>(keys.collection(id))).then(
    () => undefined,
    (error: unknown) => error,
  )
  if (refused === undefined) return false
  if (!(refused instanceof ApiError)) throw refused

  // The cache reports the end of the session, and the guards then show the login page.
  if (refused.sessionEnded) await reloadCollection(client, id)
  if (refused.status !== 404) return false

  const name = client.getQueryData<Collection>(keys.collection(id))?.name ?? "This collection"
  forgetCollection(client, id)
  notify.info(`${name} is no longer available: it was deleted, or your access has ended`)
  return true
}

/** Resolves when no write is under way. A write ends after its reload. */
function whenWritten(client: QueryClient): Promise<void> {
  if (client.isMutating() === 0) return Promise.resolve()
  return new Promise((resolve) => {
    const stop = client.getMutationCache().subscribe(() => {
      if (client.isMutating() > 0) return
      stop()
      resolve()
    })
  })
}

/** Whether the cache shows this state, or a later one. */
function isCurrent(client: QueryClient, id: number, { environments: now, ...collection }: LiveState): boolean {
  const shown = client.getQueryData<Collection>(keys.collection(id))
  if (shown === undefined) return false
  const { name, description, role } = collection
  if (shown.name !== name || shown.description !== description || shown.role !== role) return false
  const environments = new Map(shown.subCollections.map((environment) => [environment.id, environment]))
  return (
    now.length === environments.size &&
    now.every(({ id, revision, isProtected }) => {
      const environment = environments.get(id)
      return environment !== undefined && environment.revision >= revision && environment.isProtected === isProtected
    })
  )
}

async function showList(client: QueryClient, id: number, { environments: now }: LiveState): Promise<void> {
  const left = new Set(now.map((environment) => environment.id))
  const before = client.getQueryData<Collection>(keys.collection(id))
  const deleted = before?.subCollections.filter((environment) => !left.has(environment.id)) ?? []
  await reloadCollection(client, id)
  await reloadUnnumbered(client, id)
  const after = client.getQueryData<Collection>(keys.collection(id))
  // Who was a maintainer until now must not ask for the invitations, which are part of the sharing.
  const canManage = after !== undefined && allows(after.role, "maintainer")
  await client.invalidateQueries({ queryKey: canManage ? keys.sharing(id) : keys.members(id) })
  if (before !== undefined && after !== undefined) announceAccess(before, after)
  for (const { name } of deleted) notify.info(`The environment ${name} was deleted`)
}

/** Says why the screen now offers more or less than before. */
function announceAccess(before: Collection, after: Collection): void {
  if (before.role !== after.role) notify.info(`Your role in ${after.name} is now ${after.role}`)
  for (const { id, name, isProtected } of after.subCollections) {
    const was = before.subCollections.find((environment) => environment.id === id)
    if (was === undefined || was.isProtected === isProtected) continue
    notify.info(`The environment ${name} is ${isProtected ? "now" : "no longer"} protected`)
  }
}

/** Reloads what has changed, in one call: a change of a base comes with one of everything that inherits from it. */
async function showEnvironments(client: QueryClient, id: number, changes: readonly LiveEnvironment[]): Promise<void> {
  const before = byId(cached(client, id))
  const unseen = changes.filter((change) => (before.get(change.id)?.revision ?? change.revision) < change.revision)
  if (unseen.length === 0) return
  await reloadCollection(client, id)
  await client.invalidateQueries({ queryKey: keys.webhooks(id) })
  const after = byId(cached(client, id))
  for (const { id: environmentId, by, at } of unseen) {
    const [was, now] = [before.get(environmentId), after.get(environmentId)]
    if (was !== undefined && now !== undefined) announceChange(client, { before: was, now, by, at })
  }
}

function byId(environments: readonly Environment[] = []): Map<number, Environment> {
  return new Map(environments.map((environment) => [environment.id, environment]))
}

function cached(client: QueryClient, id: number): Environment[] | undefined {
  return client.getQueryData<Collection>(keys.collection(id))?.subCollections
}
