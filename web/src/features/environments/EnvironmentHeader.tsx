import type { Environment } from "@envkeep/contract"
import { IconChevronRight, IconShieldLock } from "@tabler/icons-react"
import type { ReactNode, Ref } from "react"
import type { Inheritance } from "../../lib/inheritance.ts"
import { formatNumber } from "../../ui/counts.ts"
import { Icon } from "../../ui/Icon.tsx"
import { ChangedBy } from "./ChangedBy.tsx"
import { BaseChip } from "./inheritance/BaseChip.tsx"
import { inheritedCount, itemCount } from "./item-count.ts"
import "./environment-head.css"

interface EnvironmentHeaderProps {
  environment: Environment
  inheritance: Inheritance
  unsaved: number
  isDeleted: boolean
  expanded: boolean
  /** The id of what the toggle expands. */
  controls: string
  toggle: Ref<HTMLButtonElement>
  onToggle: () => void
  /** What saves all rows, and the note for it, if there is something to save. */
  saveAll: ReactNode
  /** What is missing or does not fit, if anything is. */
  problems: ReactNode
  /** What runs with it, if anything does. */
  running: ReactNode
  /** The actions. */
  children: ReactNode
}

/** The head of an environment. It stays in view while the rows scroll. */
export function EnvironmentHeader({
  environment,
  inheritance,
  unsaved,
  isDeleted,
  expanded,
  controls,
  ...rest
}: EnvironmentHeaderProps) {
  const { name, collectionItems, isProtected } = environment
  const [base] = inheritance.bases
  return (
    <div className="environment__head">
      <h2 className="environment__title">
        <button
          type="button"
          className="environment__toggle"
          data-stop
          aria-expanded={expanded}
          aria-controls={controls}
          ref={rest.toggle}
          onClick={rest.onToggle}
        >
          <span className="environment__chevron">
            <Icon shape={IconChevronRight} />
          </span>
          <span className="environment__name" title={name}>
            {name}
          </span>
          <span className="environment__count">
            <span className="chip">
              {base === undefined
                ? itemCount(collectionItems.length)
                : inheritedCount(collectionItems.length, inheritance.items.length)}
            </span>
          </span>
          {isProtected && (
            <span className="chip chip--protected" title="Only maintainers and owners see its values and API keys">
              <Icon shape={IconShieldLock} />
              <span>Protected</span>
            </span>
          )}
        </button>
      </h2>
      {base !== undefined && <BaseChip base={base} />}
      {rest.problems}
      {rest.running}
      {isDeleted ? (
        <span className="chip chip--unsaved">Deleted elsewhere</span>
      ) : (
        <ChangedBy environmentId={environment.id} />
      )}
      {unsaved > 0 && <span className="chip chip--unsaved">{`${formatNumber(unsaved)} unsaved`}</span>}
      {rest.saveAll}
      {rest.children}
    </div>
  )
}
