import type { About, Environment } from "@envkeep/contract"
import { Button } from "@mantine/core"
import { type KeyboardEvent, type Ref, useEffect, useImperativeHandle, useRef } from "react"
import { useMaskedField } from "../../lib/mask-after.ts"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { useOnce } from "../../ui/use-once.ts"
import { ItemConflict } from "../items/ItemConflict.tsx"
import { ValueField } from "../items/ValueField.tsx"
import { misfit } from "../names/problems.ts"
import type { Cell } from "./grid.ts"
import { useCellEdit } from "./use-cell-edit.ts"
import "./cell-editor.css"

/** What the grid asks of the editor when the user goes to another cell. */
export interface EditorHandle {
  /** Saves what was typed. False if that was refused: then the editor stays. */
  commit: () => Promise<boolean>
}

interface CellEditorProps {
  name: string
  environment: Environment
  cell: Cell
  about: About | undefined
  /** The name of the environment that the value comes from, if that is another one. */
  from: string | undefined
  ref?: Ref<EditorHandle>
  onClose: () => void
  /** Goes on to the next cell. Left out where there is none. */
  onMove?: (side: "left" | "right") => void
  onUnsaved: (environmentId: number, isUnsaved: boolean) => void
}

/** Edits one value, or adds it. What others change at the same time is shown beside what was typed. */
export function CellEditor({ name, environment, cell, about, from, ref, ...on }: CellEditorProps) {
  const field = useRef<HTMLTextAreaElement>(null)
  const edit = useCellEdit({ name, environment, cell, onClose: on.onClose, onUnsaved: on.onUnsaved })
  const { text, isUnsaved, conflict, saveOver, commit } = edit
  const { isMasked, show } = useMaskedField(field)
  useEffect(() => {
    const end = field.current?.value.length ?? 0
    field.current?.focus({ preventScroll: true })
    field.current?.setSelectionRange(end, end)
  }, [])
  useImperativeHandle(ref, () => ({ commit }))
  const [moveOn] = useOnce(async () => {
    if (await commit()) on.onMove?.("right")
  })
  const [moveBack] = useOnce(async () => {
    if (await commit()) on.onMove?.("left")
  })

  function handleKey(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return
    if (event.key === "Escape") {
      event.preventDefault()
      event.stopPropagation()
      on.onClose()
    }
    // In a conflict it reaches the buttons that settle it.
    if (event.key !== "Tab" || conflict !== undefined || on.onMove === undefined) return
    event.preventDefault()
    void (event.shiftKey ? moveBack() : moveOn())
  }
  const hint = misfit(about, text === "" && !isUnsaved ? null : text)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys of the field and the buttons in it.
    <div className="cell-editor" onKeyDown={handleKey}>
      {/* An untouched missing one is added with an empty value. */}
      <Form onSubmit={() => (cell.state === "missing" ? edit.saveTyped() : commit())}>
        <ValueField
          ref={field}
          data-autofocus
          label={`${name} in ${environment.name}`}
          placeholder="Empty"
          value={text}
          error={edit.refusal}
          masked={isMasked}
          onFocus={show}
          onChange={edit.type}
        />
        {from !== undefined && <p className="cell-editor__hint">{`Inherited from ${from}. Saving sets it here.`}</p>}
        {hint !== undefined && <p className="cell-editor__hint cell-editor__hint--misfit">{hint}</p>}
        {conflict !== undefined && (
          <ItemConflict
            item={conflict.item}
            isDeleted={conflict.isDeleted}
            isRenamed={false}
            shown={!isMasked}
            onKeepMine={async () => void (await saveOver(cell.item))}
            onTakeTheirs={on.onClose}
          />
        )}
        <div className="cell-editor__end">
          <span className="cell-editor__keys" aria-hidden="true">
            <kbd>Enter</kbd> saves, <kbd>Shift Enter</kbd> adds a line
          </span>
          <Button size="xs" variant="default" onClick={on.onClose}>
            Cancel
          </Button>
          <SubmitButton size="xs">{cell.state === "missing" ? "Add" : "Save"}</SubmitButton>
        </div>
      </Form>
    </div>
  )
}
