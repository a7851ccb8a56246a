import type { PastValue } from "@envkeep/contract"
import { Button, VisuallyHidden } from "@mantine/core"
import { useState } from "react"
import { exactTime } from "../../lib/relative-time.ts"
import { whoDidIt } from "./words.ts"

/** A hundred of the largest values would be slow to render, and hard to read. */
const firstCharacters = 500

/** An earlier value: masked, shown, or what has become of it. */
export function PastValueText({ past, shown }: { past: PastValue; shown: boolean }) {
  const [whole, setWhole] = useState(false)
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
  const isCut = !whole && value.length > firstCharacters
  return (
    <>
      <code className="past-value">{isCut ? `${value.slice(0, firstCharacters)}…` : value}</code>
      {value.length > firstCharacters && (
        <Button variant="subtle" color="gray" size="compact-sm" onClick={() => setWhole(!whole)}>
          {whole ? "Show less" : `Show all ${value.length.toLocaleString("en-US")} characters`}
        </Button>
      )}
    </>
  )
}

function erasure({ erasedAt, erasedBy }: PastValue): string {
  const when = erasedAt == null ? "" : `, ${exactTime(erasedAt)}`
  return `Erased for good by ${whoDidIt(erasedBy ?? null)}${when}`
}
