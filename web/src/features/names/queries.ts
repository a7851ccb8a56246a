import { type About, type InputOf, limits, names, notDescribed } from "@envkeep/contract"
import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query"
import { useMemo } from "react"
import { api } from "../../lib/api.ts"
import { notify } from "../../lib/notify.ts"
import { keys } from "../../lib/state.ts"
import { topicOf, useWrite } from "../../lib/write.ts"

/** By name. */
export type Abouts = ReadonlyMap<string, About>

const none: Abouts = new Map()

const namesQuery = (collectionId: number) =>
  queryOptions({
    queryKey: keys.names(collectionId),
    queryFn: () => api(names.list, { id: collectionId }),
    // A change by others is told to the open screen, and to one that is shown again.
    staleTime: 60_000,
    refetchOnWindowFocus: false,
  })

export function useNames(collectionId: number) {
  return useQuery(namesQuery(collectionId))
}

/** The described names. None until they are loaded: the rest of the screen works without them. */
export function useAbouts(collectionId: number): Abouts {
  const { data } = useNames(collectionId)
  return useMemo(() => (data === undefined ? none : new Map(data.map((about) => [about.name, about]))), [data])
}

function useReload(collectionId: number) {
  const client = useQueryClient()
  return { reload: () => client.invalidateQueries({ queryKey: keys.names(collectionId) }) }
}

export function useDescribe(collectionId: number) {
  return useWrite(names.describe, useReload(collectionId))
}

/** Describes any number of names. Resolves to whether all of it was stored. */
export function useDescribeMany(collectionId: number) {
  const describeMany = useWrite(names.describeMany, useReload(collectionId))
  return async (found: InputOf<typeof names.describeMany>["names"]): Promise<boolean> => {
    for (let at = 0; at < found.length; at += limits.namesPerSave) {
      const some = found.slice(at, at + limits.namesPerSave)
      if ((await describeMany({ id: collectionId, names: some })) === undefined) return false
    }
    return true
  }
}

const describedAgain = "This name was described again. Nothing was changed"

/** Undone, the name has its description again, unless someone has given it another one. */
export function useRemoveDescription(collectionId: number) {
  const client = useQueryClient()
  const describe = useDescribe(collectionId)
  const remove = useWrite(names.remove, useReload(collectionId))
  const describeBack = async (before: About) => {
    // A failure is already on the screen.
    const now = await client.fetchQuery({ ...namesQuery(collectionId), staleTime: 0 }).catch(() => undefined)
    if (now?.some((about) => about.name === before.name)) notify.warning(describedAgain, topicOf(names.describe))
    else if (now !== undefined) await describe({ id: collectionId, ...before })
  }
  return (name: string) => {
    const before = client.getQueryData<About[]>(keys.names(collectionId))?.find((about) => about.name === name)
    return remove({ id: collectionId, name }, undefined, { undo: () => before && (() => describeBack(before)) })
  }
}

export function aboutOf(abouts: Abouts, name: string): About {
  return abouts.get(name) ?? notDescribed(name)
}

/** The text of the `.env.example` is made when it is asked for, and not kept. */
export function useExample(collectionId: number, environmentId: number | undefined) {
  return useQuery({
    queryKey: keys.envExample(collectionId, environmentId),
    queryFn: () => api(names.example, { id: collectionId, environmentId }),
    gcTime: 0,
    staleTime: 0,
  })
}
