import { Text } from "@mantine/core"
import { IconX } from "@tabler/icons-react"
import { counted } from "../../ui/counts.ts"
import { Form } from "../../ui/Form.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { IconButton } from "../../ui/IconButton.tsx"
import { NameField } from "./NameField.tsx"
import type { Drafts, NewRow } from "./use-drafts.ts"
import { ValueField } from "./ValueField.tsx"

interface NewRowsProps {
  rows: readonly NewRow[]
  drafts: Drafts
  onSave: () => Promise<void>
}

/** Rows that were split from pasted text. They are stored with all other edits. */
export function NewRows({ rows, drafts, onSave }: NewRowsProps) {
  if (rows.length === 0) return null
  return (
    <section className="new-rows" aria-label="New items">
      <Text size="sm" fw={600} className="new-rows__title">
        {`${counted(rows.length, "new item")}, not saved yet`}
      </Text>
      {rows.map((row) => (
        <Form key={row.key} className="item-row item-row--unsaved" onSubmit={onSave}>
          <NameField
            value={row.name}
            error={row.name.trim() === ""}
            onChange={(name) => drafts.editNew(row, { name })}
          />
          <ValueField value={row.value} placeholder="Empty" onChange={(value) => drafts.editNew(row, { value })} />
          <div className="item-row__actions">
            <IconButton
              label="Remove row"
              onClick={(event) => {
                focusNeighbour(event.currentTarget)
                drafts.discardNew([row])
              }}
            >
              <Icon shape={IconX} />
            </IconButton>
          </div>
        </Form>
      ))}
    </section>
  )
}

/** The button is about to be removed. The next row takes the focus, or the one before, or the form for one item. */
function focusNeighbour(button: HTMLElement): void {
  const row = button.closest("form")
  const buttons = [row?.nextElementSibling, row?.previousElementSibling].map((one) => one?.querySelector("button"))
  const addForm = row?.closest("section")?.previousElementSibling
  const next = buttons.find((one) => one != null) ?? addForm?.querySelector("input")
  next?.focus()
}
