import { items } from "@envkeep/contract"
import { useState } from "react"
import { errorsOf } from "../../lib/call-form.ts"
import type { useUpdateItem } from "./queries.ts"
import type { Draft } from "./use-drafts.ts"

type Update = ReturnType<typeof useUpdateItem>

/** Sends the edit of a row, and keeps the sentences with which it was refused until the field is edited again. */
export function useRefusedEdit(update: Update, { name, value }: Draft) {
  const [refused, setRefused] = useState<{ draft: Draft; errors: Record<string, string> }>()
  return {
    nameError: refused?.draft.name === name ? refused.errors["name"] : undefined,
    valueError: refused?.draft.value === value ? refused.errors["value"] : undefined,
    send(input: Parameters<Update>[0], onStored: Parameters<Update>[2]) {
      setRefused(undefined)
      const onRefused = (sentence: string) =>
        setRefused({ draft: { name, value }, errors: errorsOf(items.update, input, sentence) })
      return update(input, onRefused, onStored)
    },
  }
}
