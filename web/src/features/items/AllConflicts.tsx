import type { Item } from "@envkeep/contract"
import { Button, Text } from "@mantine/core"
import { formatNumber } from "../../ui/counts.ts"
import { useOnce } from "../../ui/use-once.ts"
import { useSaveItems } from "./queries.ts"
import { type Drafts, editedValue } from "./use-drafts.ts"
import "./item-conflict.css"

interface AllConflictsProps {
  collectionId: number
  environmentId: number
  drafts: Drafts
  /** Gets the items that were in conflict. */
  onSettled: (items: Item[]) => void
}

/** Settles several conflicts at once, each row having its own choice too. */
export function AllConflicts({ collectionId, environmentId, drafts, onSettled }: AllConflictsProps) {
  const items = drafts.rows.filter(drafts.isInConflict)
  const save = useSaveItems({ collectionId, revision: Math.max(0, ...items.map(({ revision }) => revision)) })
  const [keepMine, pending] = useOnce(async () => {
    const kept = items.flatMap((item) => {
      const draft = drafts.of(item)
      return draft === undefined ? [] : [{ item, draft }]
    })
    const input = kept.map(({ item, draft }) => {
      const mine = { name: draft.name, value: editedValue(draft) }
      return drafts.isDeleted(item) ? mine : { ...mine, id: item.id, revision: item.revision }
    })
    const done = await save({ id: environmentId, items: input, note: drafts.note }, (stored) => {
      for (const [at, { item }] of kept.entries()) drafts.rebase(item, stored[at]?.revision ?? 0)
    })
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
