import type { About, Environment, Item } from "@envkeep/contract"
import { Button } from "@mantine/core"
import { type KeyboardEvent, type Ref, useEffect, useImperativeHandle, useRef, useState } from "react"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { useUnsaved } from "../../ui/unsaved.tsx"
import { useOnce } from "../../ui/use-once.ts"
import { ItemConflict } from "../items/ItemConflict.tsx"
import { fromEditor, toEditor } from "../items/line-breaks.ts"
import { useSaveItems } from "../items/queries.ts"
import { ValueField } from "../items/ValueField.tsx"
import { misfit } from "../names/problems.ts"
import type { Cell } from "./grid.ts"
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

interface Typed {
  text: string
  /** The item as it was when the first character was typed. If it is another one now, someone else has changed it. */
  base: Item | undefined
}

/** Edits one value, or adds it. What others change at the same time is shown beside what was typed. */
export function CellEditor({ name, environment, cell, about, from, ref, ...on }: CellEditorProps) {
  const { item } = cell
  const stored = toEditor(cell.value ?? "")
  const [typed, setTyped] = useState<Typed>()
  const [refused, setRefused] = useState<{ text: string; sentence: string }>()
  const save = useSaveItems(environment)
  const field = useRef<HTMLTextAreaElement>(null)
  const text = typed?.text ?? stored
  const isUnsaved = typed !== undefined && typed.text !== stored
  const isDeleted = isUnsaved && typed.base !== undefined && item === undefined
  const isInConflict = isDeleted || (isUnsaved && item !== undefined && item.revision > (typed.base?.revision ?? 0))
  const conflictingItem = isDeleted ? typed.base : item
  const { onUnsaved } = on
  useUnsaved(isUnsaved)
  useEffect(() => {
    onUnsaved(environment.id, isUnsaved)
    return () => onUnsaved(environment.id, false)
  }, [onUnsaved, environment.id, isUnsaved])
  useEffect(() => {
    const end = field.current?.value.length ?? 0
    field.current?.focus({ preventScroll: true })
    field.current?.setSelectionRange(end, end)
  }, [])

  /** Saves over `seen`, the state that the user has seen. Over a later one, it is refused. */
  async function saveOver(seen: Item | undefined): Promise<boolean> {
    setRefused(undefined)
    const value = fromEditor(text, typed?.base?.value ?? cell.value ?? "")
    const saved = seen === undefined ? { name, value } : { id: seen.id, name, value, revision: seen.revision }
    const done = await save({ id: environment.id, items: [saved] }, undefined, (sentence) =>
      setRefused({ text, sentence }),
    )
    if (done !== undefined) on.onClose()
    return done !== undefined
  }
  async function commit(): Promise<boolean> {
    if (isUnsaved) return saveOver(typed.base)
    on.onClose()
    return true
  }
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
    if (event.key !== "Tab" || isInConflict || on.onMove === undefined) return
    event.preventDefault()
    void (event.shiftKey ? moveBack() : moveOn())
  }
  const hint = misfit(about, text === "" && !isUnsaved ? null : text)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys of the field and the buttons in it.
    <div className="cell-editor" onKeyDown={handleKey}>
      {/* An untouched missing one is added with an empty value. */}
      <Form onSubmit={() => (cell.state === "missing" ? saveOver(typed?.base) : commit())}>
        <ValueField
          ref={field}
          data-autofocus
          label={`${name} in ${environment.name}`}
          placeholder="Empty"
          value={text}
          error={refused?.text === text ? refused.sentence : undefined}
          onChange={(next) => setTyped((now) => ({ text: next, base: now === undefined ? item : now.base }))}
        />
        {from !== undefined && <p className="cell-editor__hint">{`Inherited from ${from}. Saving sets it here.`}</p>}
        {hint !== undefined && <p className="cell-editor__hint cell-editor__hint--misfit">{hint}</p>}
        {isInConflict && conflictingItem !== undefined && (
          <ItemConflict
            item={conflictingItem}
            isDeleted={isDeleted}
            isRenamed={false}
            shown
            onKeepMine={async () => void (await saveOver(item))}
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
