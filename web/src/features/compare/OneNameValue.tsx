import type { Level } from "@envkeep/contract"
import { IconLock } from "@tabler/icons-react"
import { Icon } from "../../ui/Icon.tsx"
import { IconButton } from "../../ui/IconButton.tsx"
import { CellMarks, CellText, type Sameness } from "./CellText.tsx"
import { type CompareActions, cellEntries } from "./cell-actions.ts"
import type { Cell, Column, Row } from "./grid.ts"

interface OneNameValueProps {
  row: Row
  environment: Column["environment"]
  cell: Cell
  sameness: Sameness | undefined
  from: string | undefined
  role: Level
  isFresh: boolean
  actions: CompareActions
  onEdit: () => void
}

/** The value in one environment, with a button for each action. */
export function OneNameValue({ row, environment, cell, sameness, from, role, ...rest }: OneNameValueProps) {
  const { isFresh, actions, onEdit } = rest
  const entries = cellEntries({ row, environment, cell, role, actions, onEdit })
  return (
    <li className={isFresh ? "card grid-cell--fresh" : "card"}>
      <div className="one-name__environment">
        <h3 className="breaks-anywhere">{environment.name}</h3>
        {environment.isProtected && (
          <span className="chip chip--protected">
            <Icon shape={IconLock} /> Protected
          </span>
        )}
        <span className="one-name__marks">
          <CellMarks cell={cell} about={row.about} from={from} sameness={sameness} />
        </span>
      </div>
      <div className="one-name__value">
        <CellText cell={cell} about={row.about} shown={actions.revealed.isShown(row.name, environment.id)} isWhole />
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
}
