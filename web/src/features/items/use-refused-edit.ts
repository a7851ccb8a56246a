import { type Item, items } from "@envkeep/contract"
import { useState } from "react"
import { errorsOf } from "../../lib/call-form.ts"
import type { Draft } from "./use-drafts.ts"
import type { SaveItems, WantedItem } from "./use-save-items.ts"

/** Sends the edit of a row, and keeps the sentences with which it was refused until the field is edited again. */
export function useRefusedEdit(save: SaveItems, { name, value }: Draft) {
  const [refused, setRefused] = useState<{ draft: Draft; errors: Record<string, string> }>()
  return {
    nameError: refused?.draft.name === name ? refused.errors["name"] : undefined,
    valueError: refused?.draft.value === value ? refused.errors["value"] : undefined,
    send(wanted: WantedItem & { over: Item }, options: Parameters<SaveItems>[1]) {
      setRefused(undefined)
      const sent = { id: wanted.over.id, name: wanted.name, value: wanted.value }
      const onRefused = (sentence: string) =>
        setRefused({ draft: { name, value }, errors: errorsOf(items.update, sent, sentence) })
      return save([wanted], { ...options, onRefused })
    },
  }
}
