import type { Item } from "@envkeep/contract"
import { Button } from "@mantine/core"
import type { ReactNode } from "react"
import { WhoAndWhen } from "../../lib/WhoAndWhen.tsx"
import { blankWords } from "../../ui/blank-text.ts"
import { useOnce } from "../../ui/use-once.ts"
import { useRevision } from "../history/queries.ts"
import { useDeletionOf } from "./queries.ts"
import "./item-conflict.css"

interface ItemConflictProps {
  /** As it is stored now or, if it was deleted, as it was. */
  item: Item
  isDeleted: boolean
  /** Whether its name was changed too. */
  isRenamed: boolean
  shown: boolean
  onKeepMine: () => Promise<void>
  onTakeTheirs: () => void
}

/** Below a row whose item was changed or deleted by someone else while it was edited here: shows theirs and asks. */
export function ItemConflict({ item, isDeleted, isRenamed, shown, onKeepMine, onTakeTheirs }: ItemConflictProps) {
  const [keepMine, pending] = useOnce(onKeepMine)
  const { subCollectionId, revision, name, value } = item
  const change = useRevision(subCollectionId, revision, !isDeleted)
  const deletion = useDeletionOf(subCollectionId, name, isDeleted)
  return (
    <fieldset className="item-conflict" aria-label={`Conflict over ${name}`}>
      <div className="item-conflict__what">
        <p role="status">
          {isDeleted ? <WhoAndWhen what="Deleted" known={deletion} /> : <WhoAndWhen what="Changed" known={change} />}
        </p>
        {isDeleted ? (
          <p className="item-conflict__hint">Your edit is above. Keeping it adds the item again.</p>
        ) : (
          <dl className="item-conflict__theirs">
            {isRenamed && (
              <>
                <dt>Their name</dt>
                <dd>{name}</dd>
              </>
            )}
            <dt>Their value</dt>
            <dd>{theirValue(value, shown)}</dd>
          </dl>
        )}
      </div>
      <div className="item-conflict__choice">
        <Button size="xs" variant="default" onClick={onTakeTheirs}>
          Take theirs
        </Button>
        <Button size="xs" loading={pending} onClick={keepMine}>
          Keep mine
        </Button>
      </div>
    </fieldset>
  )
}

/** The number of dots says nothing about the length. */
const mask = "••••••••"

function theirValue(value: string | null, shown: boolean): ReactNode {
  if (value === null) return "Damaged: it cannot be read"
  if (value === "") return "Empty"
  if (!shown) return mask
  const blank = blankWords(value)
  return blank === undefined ? value : <span className="chip">{blank}</span>
}
