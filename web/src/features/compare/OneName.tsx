import type { Level } from "@envkeep/contract"
import { Button } from "@mantine/core"
import { IconChevronLeft, IconChevronRight, IconInfoCircle, IconList, IconLock } from "@tabler/icons-react"
import { useState } from "react"
import { formatNumber } from "../../ui/counts.ts"
import { Dialog } from "../../ui/Dialog.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { IconButton } from "../../ui/IconButton.tsx"
import { LongList } from "../../ui/LongList.tsx"
import { ShowValues } from "../../ui/ShowValues.tsx"
import { CellEditor } from "./CellEditor.tsx"
import { CellMarks, CellText } from "./CellText.tsx"
import { type CompareActions, cellEntries } from "./cell-actions.ts"
import { type Column, cellOf, type Row } from "./grid.ts"
import { samenessOf } from "./sameness.ts"
import "./one-name.css"

interface OneNameProps {
  rows: readonly Row[]
  columns: readonly Column[]
  environmentNames: ReadonlyMap<number, string>
  role: Level
  fresh: ReadonlySet<number>
  actions: CompareActions
  /** The name to go to, after it was added. */
  asked: string | undefined
  onUnsaved: (environmentId: number, isUnsaved: boolean) => void
}

/** For phones: one name with its environments below. */
export function OneName({ rows, columns, environmentNames, role, fresh, actions, asked, onUnsaved }: OneNameProps) {
  const [name, setName] = useState(asked)
  const [answered, setAnswered] = useState(asked)
  const [lastIndex, setLastIndex] = useState(0)
  const [choosing, setChoosing] = useState(false)
  const [editing, setEditing] = useState<number>()
  if (asked !== answered) {
    setAnswered(asked)
    setName(asked)
  }
  const found = rows.findIndex((row) => row.name === name)
  // If it is gone, the one that has taken its place.
  const index = found === -1 ? Math.min(lastIndex, rows.length - 1) : found
  if (index !== lastIndex && index >= 0) setLastIndex(index)
  const row = rows[index]
  if (row === undefined) return null

  const go = (to: number) => setName(rows[to]?.name)
  const cells = columns.map((column) => cellOf(column, row.name))
  const sameness = samenessOf(
    cells,
    columns.map(({ environment }) => environment),
  )
  const fromOf = (at: number) => environmentNames.get(cells[at]?.inheritedFrom ?? 0)
  const edited = columns.findIndex(({ environment }) => environment.id === editing)
  const [editedColumn, editedCell] = [columns[edited], cells[edited]]
  const canShow = cells.some(({ state }) => state === "value") && row.about?.isSecret !== false
  return (
    <section className="one-name" aria-label={row.name}>
      <div className="one-name__head card">
        <div className="one-name__title">
          <h2 className="name-text breaks-anywhere">{row.name}</h2>
          <IconButton label={`About ${row.name}`} onClick={() => actions.showAbout(row.name)}>
            <Icon shape={IconInfoCircle} />
          </IconButton>
        </div>
        {row.about?.description !== undefined && row.about.description !== "" && (
          <p className="one-name__about keeps-lines breaks-anywhere">{row.about.description}</p>
        )}
        <div className="one-name__steps">
          <IconButton label="Previous name" disabled={index === 0} onClick={() => go(index - 1)}>
            <Icon shape={IconChevronLeft} />
          </IconButton>
          <Button
            variant="default"
            size="xs"
            flex={1}
            leftSection={<Icon shape={IconList} />}
            aria-haspopup="dialog"
            onClick={() => setChoosing(true)}
          >
            {`${formatNumber(index + 1)} of ${formatNumber(rows.length)}`}
          </Button>
          <IconButton label="Next name" disabled={index === rows.length - 1} onClick={() => go(index + 1)}>
            <Icon shape={IconChevronRight} />
          </IconButton>
        </div>
      </div>
      {canShow && (
        <ShowValues
          shown={actions.revealed.isRowShown(row.name)}
          onToggle={() => actions.revealed.toggleRow(row.name)}
        />
      )}
      <ul className="one-name__list">
        {columns.map(({ environment }, at) => {
          const cell = cells[at]
          if (cell === undefined) return null
          const entries = cellEntries({
            row,
            environment,
            cell,
            role,
            actions,
            onEdit: () => setEditing(environment.id),
          })
          const isFresh = cell.item !== undefined && fresh.has(cell.item.id)
          return (
            <li key={environment.id} className={isFresh ? "card grid-cell--fresh" : "card"}>
              <div className="one-name__environment">
                <h3 className="breaks-anywhere">{environment.name}</h3>
                {environment.isProtected && (
                  <span className="chip chip--protected">
                    <Icon shape={IconLock} /> Protected
                  </span>
                )}
                <span className="one-name__marks">
                  <CellMarks cell={cell} about={row.about} from={fromOf(at)} sameness={sameness[at]} />
                </span>
              </div>
              <div className="one-name__value">
                <CellText
                  cell={cell}
                  about={row.about}
                  shown={actions.revealed.isShown(row.name, environment.id)}
                  isWhole
                />
              </div>
              <div className="one-name__actions">
                {entries.map(({ label, icon, isDanger = false, act }) => (
                  <IconButton
                    key={label}
                    label={`${label}: ${environment.name}`}
                    {...(isDanger && { className: "danger-button" })}
                    onClick={act}
                  >
                    <Icon shape={icon} />
                  </IconButton>
                ))}
              </div>
            </li>
          )
        })}
      </ul>
      <Dialog opened={choosing} onClose={() => setChoosing(false)} title="Names" fillsPhone>
        <LongList
          label="Names"
          rows={[...rows]}
          keyOf={(one) => one.name}
          search={{ label: "Find a name", textOf: (one) => one.name }}
          render={(one) => (
            <button
              type="button"
              className="one-name__option name-text breaks-anywhere"
              aria-current={one === row}
              onClick={() => {
                setName(one.name)
                setChoosing(false)
              }}
            >
              {one.name}
            </button>
          )}
        />
      </Dialog>
      <Dialog
        opened={editedColumn !== undefined}
        onClose={() => setEditing(undefined)}
        title={editedCell?.state === "missing" ? "Add value" : "Edit value"}
        closesOutside={false}
      >
        {editedColumn !== undefined && editedCell !== undefined && (
          <CellEditor
            key={`${editedColumn.environment.id} ${row.name}`}
            name={row.name}
            environment={editedColumn.environment}
            cell={editedCell}
            about={row.about}
            from={fromOf(edited)}
            onClose={() => setEditing(undefined)}
            onUnsaved={onUnsaved}
          />
        )}
      </Dialog>
    </section>
  )
}
