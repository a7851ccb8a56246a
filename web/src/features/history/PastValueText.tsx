import type { PastValue } from "@envkeep/contract"
import { VisuallyHidden } from "@mantine/core"
import { exactTime } from "../../lib/relative-time.ts"
import { LongText } from "../../ui/LongText.tsx"
import { whoDidIt } from "./words.ts"

/** An earlier value: masked, shown, or what has become of it. */
export function PastValueText({ past, shown }: { past: PastValue; shown: boolean }) {
  if (past.state === "erased") return <span className="past-value__note">{erasure(past)}</span>
  if (past.state === "hidden") return <span className="past-value__note">Hidden by your role</span>
  if (past.state === "damaged") return <span className="past-value__note">Damaged: it cannot be read</span>
  if (past.state === "removed" || past.value === null) return <span className="past-value__note">Not set</span>
  if (!shown) {
    return (
      <code className="past-value past-value--masked">
        <span aria-hidden="true">••••••••</span>
        <VisuallyHidden>Hidden value</VisuallyHidden>
      </code>
    )
  }
  const { value } = past
  if (value === "") return <span className="past-value__note">Empty</span>
  return <LongText text={value} className="past-value" />
}

function erasure({ erasedAt, erasedBy }: PastValue): string {
  const when = erasedAt == null ? "" : `, ${exactTime(erasedAt)}`
  return `Erased for good by ${whoDidIt(erasedBy ?? null)}${when}`
}
