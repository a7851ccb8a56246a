import type { Item } from "@envkeep/contract"
import { Button } from "@mantine/core"
import { useFocusWhen } from "../../ui/use-focus-when.ts"
import { useOnce } from "../../ui/use-once.ts"
import { BaseLink } from "./BaseLink.tsx"
import { useRemoveItem } from "./queries.ts"

interface OverrideNoteProps {
  item: Item
  /** What the item hides. */
  inherited: Item
  environmentName: string
  collectionId: number
  /** Goes into the history. */
  note: string
  focused: boolean
  onFocused: () => void
  onInherited: () => void
}

/** Below an item that hides the value of a base. */
export function OverrideNote({ item, inherited, environmentName, collectionId, note, ...rest }: OverrideNoteProps) {
  const remove = useRemoveItem(collectionId)
  const button = useFocusWhen<HTMLButtonElement>(rest.focused, rest.onFocused)
  const [inherit, pending] = useOnce(async () => {
    const done = await remove(item, { revision: item.revision, note })
    if (done !== undefined) rest.onInherited()
  })
  return (
    <p className="item-row__overrides">
      <span className="item-row__origin">
        overrides <BaseLink collectionId={collectionId} item={inherited} environmentName={environmentName} />
      </span>
      <Button ref={button} variant="subtle" size="compact-sm" loading={pending} onClick={inherit}>
        Use the inherited value
      </Button>
    </p>
  )
}
