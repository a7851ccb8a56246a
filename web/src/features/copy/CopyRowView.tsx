import { VisuallyHidden } from "@mantine/core"
import { IconEye, IconEyeOff } from "@tabler/icons-react"
import { Icon } from "../../ui/Icon.tsx"
import { IconButton } from "../../ui/IconButton.tsx"
import { PastValueText } from "../history/PastValueText.tsx"
import type { CopyRow } from "./copy-plan.ts"
import "../history/changes.css"

interface CopyRowViewProps {
  row: CopyRow
  isChosen: boolean
  canMask: boolean
  shown: boolean
  onChoose: () => void
  onToggle: () => void
}

/** One name, with its value in the target before and after. */
export function CopyRowView({ row, isChosen, canMask, shown, onChoose, onToggle }: CopyRowViewProps) {
  const { name, kind, before, after, overrides } = row
  const isShown = shown || !canMask
  return (
    <div className="change">
      <label className="copy-row__choice">
        <input type="checkbox" checked={isChosen} onChange={onChoose} />
        <code className="breaks-anywhere">{name}</code>
        <span className={`chip copy-row__kind copy-row__kind--${kind}`}>
          {kind === "missing" ? "Added" : "Changed"}
        </span>
        {overrides && <span className="copy-row__note">overrides what is inherited</span>}
      </label>
      <span className="change__values">
        {before !== undefined && (
          <span className="change__value change__value--before">
            <span className="change__sign">
              <span aria-hidden="true">−</span>
              <VisuallyHidden>Before: </VisuallyHidden>
            </span>
            <PastValueText past={{ state: before === null ? "damaged" : "set", value: before }} shown={isShown} />
          </span>
        )}
        <span className="change__value change__value--after">
          <span className="change__sign">
            <span aria-hidden="true">+</span>
            <VisuallyHidden>After: </VisuallyHidden>
          </span>
          <PastValueText past={{ state: "set", value: after }} shown={isShown} />
        </span>
      </span>
      <span className="change__actions">
        {canMask && (
          <IconButton label={shown ? `Hide the values of ${name}` : `Show the values of ${name}`} onClick={onToggle}>
            {shown ? <Icon shape={IconEyeOff} /> : <Icon shape={IconEye} />}
          </IconButton>
        )}
      </span>
    </div>
  )
}
