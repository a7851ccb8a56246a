import type { Environment } from "@envkeep/contract"
import { useEffect, useMemo, useRef, useState } from "react"
import type { Column, Row } from "./grid.ts"
import type { Opened } from "./grid-events.ts"
import { type ActiveCell, type Place, placeOf } from "./moves.ts"

/** The name and environment whose editor opens now, for a name that was just added. */
export interface Asked {
  name: string
  environment: Environment
}

interface CursorOptions {
  rows: readonly Row[]
  columns: readonly Column[]
  asked: Asked | undefined
}

/** Which cell is active, and what is open at it. */
export function useCursor({ rows, columns, asked }: CursorOptions) {
  const [active, setActive] = useState<ActiveCell>({
    name: rows[0]?.name,
    environmentId: columns[0]?.environment.id,
  })
  const [opened, setOpened] = useState<Opened>()
  const indexes = useMemo(() => new Map(rows.map(({ name }, index) => [name, index])), [rows])

  const lastPlace = useRef<Place>({ row: 0, column: 1 })
  const place = placeOf(active, { indexes, columns, last: lastPlace.current })
  useEffect(() => {
    lastPlace.current = place
  })

  const [answered, setAnswered] = useState<Asked>()
  if (asked !== undefined && asked !== answered && indexes.has(asked.name)) {
    setAnswered(asked)
    setActive({ name: asked.name, environmentId: asked.environment.id })
    setOpened("editor")
  }

  function moveTo(to: Place) {
    setOpened(undefined)
    setActive({
      name: to.row === -1 ? undefined : rows[to.row]?.name,
      environmentId: columns[to.column - 1]?.environment.id,
    })
  }
  return { place, opened, setOpened, moveTo, answered, rowOf: (name: string) => indexes.get(name) ?? place.row }
}

export type Cursor = ReturnType<typeof useCursor>
