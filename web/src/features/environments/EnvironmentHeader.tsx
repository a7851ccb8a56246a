import type { Environment } from "@envkeep/contract"
import { IconChevronRight } from "@tabler/icons-react"
import type { ReactNode, Ref } from "react"
import { Icon } from "../../ui/Icon.tsx"
import { ChangedBy } from "./ChangedBy.tsx"
import { itemCount } from "./item-count.ts"

interface EnvironmentHeaderProps {
  environment: Environment
  unsaved: number
  isDeleted: boolean
  expanded: boolean
  /** The id of what the toggle expands. */
  controls: string
  toggle: Ref<HTMLButtonElement>
  onToggle: () => void
  /** What saves all rows, and the note for it, if there is something to save. */
  saveAll: ReactNode
  /** The actions. */
  children: ReactNode
}

/** The head of an environment. It stays in view while the rows scroll. */
export function EnvironmentHeader({
  environment,
  unsaved,
  isDeleted,
  expanded,
  controls,
  ...rest
}: EnvironmentHeaderProps) {
  const { name, collectionItems } = environment
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
          <span className="chip">{itemCount(collectionItems.length)}</span>
        </button>
      </h2>
      {isDeleted ? (
        <span className="chip chip--unsaved">Deleted elsewhere</span>
      ) : (
        <ChangedBy environmentId={environment.id} />
      )}
      {unsaved > 0 && <span className="chip chip--unsaved">{`${unsaved.toLocaleString("en-US")} unsaved`}</span>}
      {rest.saveAll}
      {rest.children}
    </div>
  )
}
