import type { Item } from "@envkeep/contract"
import { Button, Text, TextInput } from "@mantine/core"
import { IconEye, IconEyeOff, IconSearch } from "@tabler/icons-react"
import { useMemo, useState } from "react"
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { AddItemForm } from "./AddItemForm.tsx"
import { ItemRow } from "./ItemRow.tsx"
import { useRemoveItem } from "./queries.ts"
import type { Drafts } from "./use-drafts.ts"
import { useShown } from "./use-shown.ts"
import { VirtualRows } from "./VirtualRows.tsx"
import "./items.css"

/** From this many items on, the list has a filter. */
const manyItems = 10

interface ItemListProps {
  environmentId: number
  collectionId: number
  items: Item[]
  drafts: Drafts
}

export function ItemList({ environmentId, collectionId, items, drafts }: ItemListProps) {
  const [filter, setFilter] = useState("")
  const shown = useShown(environmentId)
  const sorted = useMemo(() => items.toSorted((a, b) => a.id - b.id), [items])
  const many = items.length >= manyItems
  const found = useMemo(() => (many ? sorted.filter(matches(filter)) : sorted), [many, sorted, filter])
  const deletion = useDeletion({ collectionId, rows: found })

  return (
    <>
      <AddItemForm
        collectionId={collectionId}
        form={drafts.added}
        focused={deletion.focusOn === "add"}
        onFocused={deletion.onFocused}
      />
      {items.length === 0 ? (
        <Text c="dimmed" size="sm" className="items__note">
          No items yet. Add the first one above, or load a whole .env file with "Import".
        </Text>
      ) : (
        <div className="items__tools">
          {many && (
            <TextInput
              aria-label="Filter items"
              placeholder="Filter by name"
              type="search"
              leftSection={<Icon shape={IconSearch} />}
              value={filter}
              onChange={(event) => setFilter(event.currentTarget.value)}
            />
          )}
          {filter !== "" && many && (
            <Text size="sm" c="dimmed" role="status">
              {`${found.length.toLocaleString("en-US")} of ${items.length.toLocaleString("en-US")}`}
            </Text>
          )}
          <Button
            variant="subtle"
            color="gray"
            size="xs"
            leftSection={shown.all ? <Icon shape={IconEyeOff} /> : <Icon shape={IconEye} />}
            onClick={shown.toggleAll}
          >
            {shown.all ? "Hide all values" : "Show all values"}
          </Button>
        </div>
      )}
      <VirtualRows
        rows={found}
        render={(item) => (
          <ItemRow
            item={item}
            draft={drafts.of(item)}
            shown={shown.isShown(item.id)}
            collectionId={collectionId}
            focused={deletion.focusOn === item.id}
            onFocused={deletion.onFocused}
            onEdit={drafts.edit}
            onDiscard={drafts.discard}
            onToggle={shown.toggle}
            onDelete={deletion.ask}
          />
        )}
      />
      {deletion.dialog}
    </>
  )
}

function matches(filter: string) {
  const search = filter.trim().toLowerCase()
  return ({ name }: Item) => name.toLowerCase().includes(search)
}

interface DeletionOptions {
  collectionId: number
  /** The visible rows in order, to find the next one. */
  rows: Item[]
}

/** One question for the whole list, not one per row. Afterwards the focus is on the next row, or where items are added. */
function useDeletion({ collectionId, rows }: DeletionOptions) {
  const [item, setItem] = useState<Item>()
  const [asking, setAsking] = useState(false)
  const [focusOn, setFocusOn] = useState<number | "add">()
  const remove = useRemoveItem(collectionId)
  const [on] = useState(() => ({
    ask(next: Item) {
      setItem(next)
      setAsking(true)
    },
    onFocused: () => setFocusOn(undefined),
  }))

  async function confirm() {
    if (item === undefined) return
    const next = rows[rows.findIndex(({ id }) => id === item.id) + 1]
    const done = await remove({ id: item.id })
    setAsking(false)
    if (done !== undefined) setFocusOn(next?.id ?? "add")
  }
  const dialog = (
    <ConfirmDialog
      opened={asking}
      title="Delete this item?"
      confirm="Delete"
      onConfirm={confirm}
      onClose={() => setAsking(false)}
    >
      <strong>{item?.name}</strong> and its value are deleted. This cannot be undone.
    </ConfirmDialog>
  )
  return { ...on, focusOn, dialog }
}
