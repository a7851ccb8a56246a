import type { NameChange, PastValue } from "@envkeep/contract"
import { Text, VisuallyHidden } from "@mantine/core"
import { IconArrowRight, IconEye, IconEyeOff, IconHistory } from "@tabler/icons-react"
import { type ReactNode, useMemo } from "react"
import { formatNumber } from "../../ui/counts.ts"
import { Icon } from "../../ui/Icon.tsx"
import { IconButton } from "../../ui/IconButton.tsx"
import { LongList } from "../../ui/LongList.tsx"
import { ShowValues } from "../../ui/ShowValues.tsx"
import { type ChangedName, type ChangeGroups, groupChanges } from "./changes.ts"
import { PastValueText } from "./PastValueText.tsx"
import { useRevealed } from "./use-revealed.ts"
import "./changes.css"

const titles: Record<keyof ChangeGroups, string> = {
  changed: "Changed",
  renamed: "Renamed",
  added: "Added",
  removed: "Removed",
}

/** Opens the history of a name, in another environment if it was inherited from there. */
export type OnItem = (name: string, inheritedFrom: number | undefined) => void

const noNames: ReadonlyMap<number, string> = new Map()

interface ChangeListProps {
  changes: readonly NameChange[]
  /** Said if there are none. */
  none: string
  /** By id, to say where a value was inherited from. */
  environmentNames?: ReadonlyMap<number, string>
  /** Opens the history of a name. */
  onItem?: OnItem
  /** Buttons above the list, after the one that shows the values. */
  children?: ReactNode
}

/** Names with their values before and after, masked until asked for. */
export function ChangeList({ changes, none, environmentNames = noNames, onItem, children }: ChangeListProps) {
  const groups = useMemo(() => groupChanges(changes), [changes])
  const revealed = useRevealed()
  const kinds = (Object.keys(titles) as (keyof ChangeGroups)[]).filter((kind) => groups[kind].length > 0)
  const canReveal = changes.some(({ before, after }) => before.state === "set" || after.state === "set")
  return (
    <div>
      <div className="changes__head">
        <Text size="sm" fw={600} className="changes__summary" role="status">
          {kinds.length === 0 ? none : summaryOf(groups)}
        </Text>
        {canReveal && <ShowValues shown={revealed.all} onToggle={revealed.toggleAll} />}
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
                environmentNames={environmentNames}
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
  return kinds.map((kind) => `${formatNumber(groups[kind].length)} ${kind}`).join(", ")
}

interface ChangeProps {
  change: ChangedName
  environmentNames: ReadonlyMap<number, string>
  shown: boolean
  onToggle: () => void
  onItem: OnItem | undefined
}

function Change({ change, environmentNames, shown, onToggle, onItem }: ChangeProps) {
  const { name, previousName, before, after } = change
  const isSame = before.state === "set" && after.state === "set" && before.value === after.value
  const isHidden = before.state === "hidden" || after.state === "hidden"
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
        {/* Without values, the name and its group say all there is to say. */}
        {before.state !== "removed" && !isSame && !isHidden && (
          <span className="change__value change__value--before">
            <span className="change__sign">
              <span aria-hidden="true">−</span>
              <VisuallyHidden>Before: </VisuallyHidden>
            </span>
            <PastValueText past={before} shown={shown} />
            <Origin past={before} environmentNames={environmentNames} />
          </span>
        )}
        {after.state !== "removed" && !isHidden && (
          <span className={isSame ? "change__value" : "change__value change__value--after"}>
            <span className="change__sign">
              <span aria-hidden="true">{isSame ? "=" : "+"}</span>
              <VisuallyHidden>{isSame ? "Same value: " : "After: "}</VisuallyHidden>
            </span>
            <PastValueText past={after} shown={shown} />
            <Origin past={after} environmentNames={environmentNames} />
          </span>
        )}
      </span>
      <span className="change__actions">
        {(before.state === "set" || after.state === "set") && (
          <IconButton label={shown ? `Hide the values of ${name}` : `Show the values of ${name}`} onClick={onToggle}>
            {shown ? <Icon shape={IconEyeOff} /> : <Icon shape={IconEye} />}
          </IconButton>
        )}
        {onItem !== undefined && (
          <IconButton label={`History of ${name}`} onClick={() => onItem(name, setIn(change))}>
            <Icon shape={IconHistory} />
          </IconButton>
        )}
      </span>
    </div>
  )
}

/** The environment whose history tells about the name. Undefined if that is the one that was changed. */
function setIn({ before, after }: ChangedName): number | undefined {
  const isOwn = [before, after].some(({ state, inheritedFrom }) => state !== "removed" && inheritedFrom == null)
  return isOwn ? undefined : (after.inheritedFrom ?? before.inheritedFrom ?? undefined)
}

/** Where a value was inherited from. */
function Origin({ past, environmentNames }: { past: PastValue } & Pick<ChangeProps, "environmentNames">) {
  if (past.inheritedFrom == null) return null
  const name = environmentNames.get(past.inheritedFrom)
  return <span className="change__origin">{name === undefined ? "inherited" : `from ${name}`}</span>
}
