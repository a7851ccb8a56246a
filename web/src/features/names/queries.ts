import { type About, type InputOf, limits, names, notDescribed } from "@envkeep/contract"
import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query"
import { useMemo } from "react"
import { api } from "../../lib/api.ts"
import { keys } from "../../lib/state.ts"
import { useWrite } from "../../lib/write.ts"

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

/** Undone, the name has its description again. */
export function useRemoveDescription(collectionId: number) {
  const client = useQueryClient()
  const describe = useDescribe(collectionId)
  const remove = useWrite(names.remove, {
    ...useReload(collectionId),
    undo(_, { id, name }) {
      const before = client.getQueryData<About[]>(keys.names(collectionId))?.find((about) => about.name === name)
      return before === undefined ? undefined : () => describe({ id, ...before })
    },
  })
  return (name: string) => remove({ id: collectionId, name })
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
