import type { Item } from "@envkeep/contract"
import { Button, Text } from "@mantine/core"
import { formatNumber } from "../../ui/counts.ts"
import { useOnce } from "../../ui/use-once.ts"
import { type Drafts, editedValue } from "./use-drafts.ts"
import type { SaveItems } from "./use-save-items.ts"
import "./item-conflict.css"

interface AllConflictsProps {
  drafts: Drafts
  onSave: SaveItems
  /** Gets the items that were in conflict. */
  onSettled: (items: Item[]) => void
}

/** Settles several conflicts at once, each row having its own choice too. */
export function AllConflicts({ drafts, onSave, onSettled }: AllConflictsProps) {
  const items = drafts.rows.filter(drafts.isInConflict)
  const [keepMine, pending] = useOnce(async () => {
    const kept = items.flatMap((item) => {
      const draft = drafts.of(item)
      return draft === undefined ? [] : [{ item, draft }]
    })
    const wanted = kept.map(({ item, draft }) => ({
      name: draft.name,
      value: editedValue(draft),
      over: drafts.isDeleted(item) ? undefined : item,
    }))
    const done = await onSave(wanted, { note: drafts.note, onStored: (stored) => stored.forEach(drafts.rebase) })
    if (done === undefined) return
    for (const { item, draft } of kept) drafts.discard(item, draft)
    drafts.setNote("")
    onSettled(items)
  })
  function takeTheirs() {
    for (const item of items) drafts.discard(item)
    onSettled(items)
  }
  if (items.length < 2) return null
  return (
    <fieldset className="all-conflicts" aria-label="All conflicts">
      <Text size="sm" role="status">
        {`${formatNumber(items.length)} of your edits are of items that were changed or deleted elsewhere.`}
      </Text>
      <Button size="xs" variant="default" onClick={takeTheirs}>
        Take all theirs
      </Button>
      <Button size="xs" loading={pending} onClick={keepMine}>
        Keep all mine
      </Button>
    </fieldset>
  )
}
