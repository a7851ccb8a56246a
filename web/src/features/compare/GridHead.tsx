import { VisuallyHidden } from "@mantine/core"
import { IconCornerLeftUp, IconDots, IconLock } from "@tabler/icons-react"
import type { RefObject } from "react"
import { formatNumber } from "../../ui/counts.ts"
import { Icon } from "../../ui/Icon.tsx"
import { type CompareActions, headEntries } from "./cell-actions.ts"
import { GridMenu } from "./GridMenu.tsx"
import type { Column } from "./grid.ts"
import type { Active } from "./grid-events.ts"
import type { ColumnChoice } from "./use-column-choice.ts"

interface GridHeadProps {
  columns: readonly Column[]
  inView: readonly { index: number; start: number; size: number }[]
  /** How many names each column lacks. */
  missing: readonly number[]
  environmentNames: ReadonlyMap<number, string>
  choice: ColumnChoice
  active: Active | undefined
  actions: CompareActions
  selection: { isAll: boolean; isSome: boolean; toggle: () => void }
  onActivate: (column: number) => void
  onOpenMenu: (column: number) => void
  onClose: () => void
}

/** The names of the environments. It stays in view, and its cells are part of the grid. */
export function GridHead({ columns, inView, missing, environmentNames, active, selection, ...rest }: GridHeadProps) {
  const { choice, actions, ...on } = rest
  const at = (column: number) => ({
    "aria-colindex": column + 1,
    ...(active?.column === column && { ref: active.cell as RefObject<HTMLDivElement> }),
    onClick: () => on.onActivate(column),
  })
  const tabIndexAt = (column: number) => (active?.column === column ? 0 : -1)
  return (
    <div role="row" tabIndex={-1} aria-rowindex={1} className="grid-head">
      <div role="columnheader" tabIndex={tabIndexAt(0)} {...at(0)} className="grid-cell grid-cell--name">
        <span className="grid-cell__check">
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label="Select all names"
            checked={selection.isAll}
            ref={(box) => {
              if (box) box.indeterminate = selection.isSome && !selection.isAll
            }}
            onChange={selection.toggle}
          />
        </span>
        <span className="grid-head__name">Name</span>
      </div>
      {inView.map(({ index, start, size }) => {
        const column = columns[index]
        if (column === undefined) return null
        const { environment, own, inherited } = column
        const { id, name, baseId, isProtected } = environment
        const base = baseId === null ? undefined : environmentNames.get(baseId)
        const lacks = missing[index] ?? 0
        return (
          <div
            key={id}
            role="columnheader"
            tabIndex={tabIndexAt(index + 1)}
            {...at(index + 1)}
            className="grid-cell grid-cell--head"
            style={{ left: start, width: size }}
            onContextMenu={(event) => {
              event.preventDefault()
              on.onOpenMenu(index + 1)
            }}
          >
            <span className="grid-head__title">
              <span className="grid-head__name" title={name}>
                {name}
              </span>
              {isProtected && (
                <span className="grid-head__sign" title="Protected">
                  <Icon shape={IconLock} />
                  <VisuallyHidden>, protected</VisuallyHidden>
                </span>
              )}
              {base !== undefined && (
                <span className="cell__from" title={`Inherits from ${base}`}>
                  <Icon shape={IconCornerLeftUp} />
                  <span aria-hidden="true">{base}</span>
                  <VisuallyHidden>{`, inherits from ${base}`}</VisuallyHidden>
                </span>
              )}
            </span>
            <span className="grid-head__counts">
              <VisuallyHidden>, </VisuallyHidden>
              {`${formatNumber(own.size + inherited.size)} set`}
              {lacks > 0 && <span className="grid-head__missing">{`, ${formatNumber(lacks)} missing`}</span>}
            </span>
            <button
              type="button"
              tabIndex={-1}
              className="mini-button grid-head__more"
              title={`Actions for ${name}`}
              aria-label={`Actions for ${name}`}
              onClick={(event) => {
                event.stopPropagation()
                on.onOpenMenu(index + 1)
              }}
            >
              <Icon shape={IconDots} />
            </button>
            {active?.column === index + 1 && active.opened === "menu" && (
              <GridMenu label={name} entries={headEntries({ environment, choice, actions })} onClose={on.onClose} />
            )}
          </div>
        )
      })}
    </div>
  )
}
