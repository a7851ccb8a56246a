import type { Item } from "@envkeep/contract"
import { useStable } from "../../lib/use-stable.ts"
import type { RowEvents } from "./ListedRow.tsx"
import { rowAfter } from "./listed-items.ts"
import type { Drafts } from "./use-drafts.ts"

interface RowEventsOptions extends Pick<RowEvents, "onSave" | "onAbout" | "onHistory" | "onDelete"> {
  drafts: Drafts
  /** The visible rows in order, to find the next one. */
  rows: Item[]
  /** A row, the place where items are added, or nothing takes the focus. */
  onFocus: (next: number | "add" | undefined) => void
}

/** What rows do to the list: whatever ends a row or a button in it says what takes the focus. */
export function useRowEvents({ drafts, rows, onFocus, ...on }: RowEventsOptions): RowEvents {
  return useStable<RowEvents>({
    ...on,
    onFocused: () => onFocus(undefined),
    onGone: (item) => onFocus(rowAfter(rows, item)),
    onSaved: () => drafts.setNote(""),
    onOverride(item) {
      drafts.override(item)
      onFocus(item.id)
    },
    onOverrideCancelled: ({ id }) => onFocus(id),
    onOverridden({ id }) {
      drafts.setNote("")
      onFocus(id)
    },
    onInherited(item, base) {
      // An edit of it would look like a conflict with its deletion.
      drafts.discard(item)
      drafts.setNote("")
      onFocus(base.id)
    },
  })
}
