import type { NameChange } from "@envkeep/contract"
import { Text, VisuallyHidden } from "@mantine/core"
import { IconArrowRight, IconEye, IconEyeOff, IconHistory } from "@tabler/icons-react"
import { type ReactNode, useMemo } from "react"
import { Icon } from "../../ui/Icon.tsx"
import { IconButton } from "../../ui/IconButton.tsx"
import { LongList } from "../../ui/LongList.tsx"
import { ShowValues } from "../../ui/ShowValues.tsx"
import { type ChangedName, type ChangeGroups, groupChanges } from "./changes.ts"
import { PastValueText } from "./PastValueText.tsx"
import { useRevealed } from "./use-revealed.ts"

const titles: Record<keyof ChangeGroups, string> = {
  changed: "Changed",
  renamed: "Renamed",
  added: "Added",
  removed: "Removed",
}

interface ChangeListProps {
  changes: readonly NameChange[]
  /** Said if there are none. */
  none: string
  /** Opens the history of a name. */
  onItem?: (name: string) => void
  /** Buttons above the list, after the one that shows the values. */
  children?: ReactNode
}

/** Names with their values before and after, masked until asked for. */
export function ChangeList({ changes, none, onItem, children }: ChangeListProps) {
  const groups = useMemo(() => groupChanges(changes), [changes])
  const revealed = useRevealed()
  const kinds = (Object.keys(titles) as (keyof ChangeGroups)[]).filter((kind) => groups[kind].length > 0)
  return (
    <div className="changes">
      <div className="changes__head">
        <Text size="sm" fw={600} className="changes__summary" role="status">
          {kinds.length === 0 ? none : summaryOf(groups)}
        </Text>
        {kinds.length > 0 && <ShowValues shown={revealed.all} onToggle={revealed.toggleAll} />}
        {children}
      </div>
      {kinds.map((kind) => (
        <section key={kind} className={`changes__group changes__group--${kind}`}>
          <h3 className="changes__title">{titles[kind]}</h3>
          <LongList
            label={titles[kind]}
            rows={groups[kind]}
            keyOf={({ name }) => name}
            render={(one) => (
              <Change
                change={one}
                shown={revealed.isShown(one.name)}
                onToggle={() => revealed.toggle(one.name)}
                onItem={onItem}
              />
            )}
          />
        </section>
      ))}
    </div>
  )
}

export function summaryOf(groups: ChangeGroups): string {
  const kinds = (Object.keys(titles) as (keyof ChangeGroups)[]).filter((kind) => groups[kind].length > 0)
  return kinds.map((kind) => `${groups[kind].length.toLocaleString("en-US")} ${kind}`).join(", ")
}

interface ChangeProps {
  change: ChangedName
  shown: boolean
  onToggle: () => void
  onItem: ((name: string) => void) | undefined
}

function Change({ change: { name, previousName, before, after }, shown, onToggle, onItem }: ChangeProps) {
  const isSame = before.state === "set" && after.state === "set" && before.value === after.value
  return (
    <div className="change">
      <span className="change__name">
        {previousName !== undefined && (
          <>
            <code className="breaks-anywhere">{previousName}</code>
            <Icon shape={IconArrowRight} />
          </>
        )}
        <code className="breaks-anywhere">{name}</code>
      </span>
      <span className="change__values">
        {before.state !== "removed" && !isSame && (
          <span className="change__value change__value--before">
            <span className="change__sign">
              <span aria-hidden="true">−</span>
              <VisuallyHidden>Before: </VisuallyHidden>
            </span>
            <PastValueText past={before} shown={shown} />
          </span>
        )}
        {after.state !== "removed" && (
          <span className={isSame ? "change__value" : "change__value change__value--after"}>
            <span className="change__sign">
              <span aria-hidden="true">{isSame ? "=" : "+"}</span>
              <VisuallyHidden>{isSame ? "Same value: " : "After: "}</VisuallyHidden>
            </span>
            <PastValueText past={after} shown={shown} />
          </span>
        )}
      </span>
      <span className="change__actions">
        <IconButton label={shown ? `Hide the values of ${name}` : `Show the values of ${name}`} onClick={onToggle}>
          {shown ? <Icon shape={IconEyeOff} /> : <Icon shape={IconEye} />}
        </IconButton>
        {onItem !== undefined && (
          <IconButton label={`History of ${name}`} onClick={() => onItem(name)}>
            <Icon shape={IconHistory} />
          </IconButton>
        )}
      </span>
    </div>
  )
}
