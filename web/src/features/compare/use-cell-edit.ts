import type { Environment, Item } from "@envkeep/contract"
import { useEffect, useState } from "react"
import { useUnsaved } from "../../ui/unsaved.tsx"
import { fromEditor, toEditor } from "../items/line-breaks.ts"
import { useSaveItems } from "../items/use-save-items.ts"
import type { Cell } from "./grid.ts"

interface CellEditOptions {
  name: string
  environment: Environment
  cell: Cell
  onClose: () => void
  onUnsaved: (environmentId: number, isUnsaved: boolean) => void
}

interface Typed {
  text: string
  /** The item as it was when the first character was typed. If it is another one now, someone else has changed it. */
  base: Item | undefined
}

/** What is typed into a cell, and how it is saved. */
export function useCellEdit({ name, environment, cell, onClose, onUnsaved }: CellEditOptions) {
  const { item } = cell
  const stored = toEditor(cell.value ?? "")
  const [typed, setTyped] = useState<Typed>()
  const [refused, setRefused] = useState<{ text: string; sentence: string }>()
  const save = useSaveItems(environment)
  const text = typed?.text ?? stored
  const isUnsaved = typed !== undefined && typed.text !== stored
  useUnsaved(isUnsaved)
  useEffect(() => {
    onUnsaved(environment.id, isUnsaved)
    return () => onUnsaved(environment.id, false)
  }, [onUnsaved, environment.id, isUnsaved])

  /** Saves over `seen`, the state that the user has seen. Over a later one, it is refused. */
  async function saveOver(seen: Item | undefined): Promise<boolean> {
    setRefused(undefined)
    const value = fromEditor(text, typed?.base?.value ?? cell.value ?? "")
    const done = await save([{ name, value, over: seen }], {
      onRefused: (sentence) => setRefused({ text, sentence }),
    })
    if (done !== undefined) onClose()
    return done !== undefined
  }
  const saveTyped = () => saveOver(typed?.base)

  /** Resolves to whether the editor has closed. */
  async function commit(): Promise<boolean> {
    if (isUnsaved) return saveTyped()
    onClose()
    return true
  }

  return {
    text,
    isUnsaved,
    refusal: refused?.text === text ? refused.sentence : undefined,
    conflict: isUnsaved ? conflictOf(typed.base, item) : undefined,
    type: (next: string) => setTyped((now) => ({ text: next, base: now === undefined ? item : now.base })),
    saveOver,
    saveTyped,
    commit,
  }
}

/** What someone else did to the item since `base`. Undefined if it is the same. */
function conflictOf(base: Item | undefined, item: Item | undefined): { item: Item; isDeleted: boolean } | undefined {
  if (item === undefined) return base && { item: base, isDeleted: true }
  return item.revision > (base?.revision ?? 0) ? { item, isDeleted: false } : undefined
}
