import type { Environment } from "@envkeep/contract"
import { useMemo } from "react"
import { columnsOf } from "./grid.ts"
import { useColumnChoice } from "./use-column-choice.ts"

/** The columns that are shown, which stay the same objects as long as the environments and the choice do. */
export function useColumns(collectionId: number, environments: Environment[]) {
  const choice = useColumnChoice(collectionId, environments)
  const shownIds = choice.shown.map(({ id }) => id).join()
  const all = useMemo(() => columnsOf(environments), [environments])
  const columns = useMemo(() => {
    const ids = shownIds.split(",").map(Number)
    return ids.flatMap((id) => all.get(id) ?? [])
  }, [all, shownIds])
  const environmentNames = useMemo(() => new Map(environments.map(({ id, name }) => [id, name])), [environments])
  return { choice, columns, environmentNames }
}
