import {
  type Collection,
  type Environment,
  environments,
  type LiveEnvironment,
  type LiveState,
} from "@envkeep/contract"
import { type QueryClient, useQueryClient } from "@tanstack/react-query"
import { useEffect } from "react"
import { ApiError, api } from "../../lib/api.ts"
import { followCollection } from "../../lib/live.ts"
import { announceChange } from "../../lib/live-changes.ts"
import { notify } from "../../lib/notify.ts"
import { keys, reloadCollection } from "../../lib/state.ts"

/** Shows what others change in an open collection. Only what has changed is read again. */
export function useLiveCollection(id: number): void {
  const client = useQueryClient()
  useEffect(() => {
    let last = Promise.resolve()
    /** One after the other, and after this tab's own writes: what they have changed is not announced. */
    const inTurn = (work: () => Promise<void>) => {
      last = last.then(() => whenWritten(client)).then(work)
    }
    return followCollection(id, {
      onState: (state) =>
        inTurn(() => (isCurrent(client, id, state) ? Promise.resolve() : showList(client, id, state))),
      onList: (state) => inTurn(() => showList(client, id, state)),
      onEnvironment: (change) => inTurn(() => showEnvironment(client, id, change)),
      onUnsure: () => inTurn(() => reloadCollection(client, id)),
    })
  }, [client, id])
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

function isCurrent(client: QueryClient, id: number, { environments: now }: LiveState): boolean {
  const revisions = new Map(cached(client, id)?.map(({ id, revision }) => [id, revision]))
  return now.length === revisions.size && now.every(({ id, revision }) => (revisions.get(id) ?? 0) >= revision)
}

async function showList(client: QueryClient, id: number, { environments: now }: LiveState): Promise<void> {
  const left = new Set(now.map((environment) => environment.id))
  const deleted = cached(client, id)?.filter((environment) => !left.has(environment.id)) ?? []
  await reloadCollection(client, id)
  for (const { name } of deleted) notify.info(`The environment ${name} was deleted`)
}

async function showEnvironment(client: QueryClient, id: number, change: LiveEnvironment): Promise<void> {
  const before = cached(client, id)?.find((environment) => environment.id === change.id)
  if (before === undefined || before.revision >= change.revision) return
  const now = await api(environments.get, { id: change.id }).catch((error: unknown) => {
    // Deleted, signed out or out of reach: the stream says so too, and the next read reports it.
    if (error instanceof ApiError) return undefined
    throw error
  })
  if (now === undefined) return
  client.setQueryData<Collection>(
    keys.collection(id),
    (collection) => collection && { ...collection, subCollections: collection.subCollections.map(newer(now)) },
  )
  announceChange(client, { before, now, by: change.by, at: change.at })
}

/** A reload that was faster has a newer state. */
function newer(now: Environment): (shown: Environment) => Environment {
  return (shown) => (shown.id === now.id && shown.revision < now.revision ? now : shown)
}

function cached(client: QueryClient, id: number): Environment[] | undefined {
  return client.getQueryData<Collection>(keys.collection(id))?.subCollections
}
