import { Button } from "@mantine/core"
import { useState } from "react"
import { blankWords } from "./blank-text.ts"
import { formatNumber } from "./counts.ts"

/** The largest values would be slow to render, and would push everything below them out of sight. */
const firstCharacters = 500

/** A value: the beginning of a long one, and all of it on request. One that would look like nothing is described. */
export function LongText({ text, className }: { text: string; className: string }) {
  const [whole, setWhole] = useState(false)
  const blank = blankWords(text)
  if (blank !== undefined) return <span className="chip">{blank}</span>
  const isLong = text.length > firstCharacters
  const shown = isLong && !whole ? `${text.slice(0, firstCharacters)}…` : text
  return (
    <>
      {/* A browser breaks no line at a carriage return that stands alone. */}
      <code className={className}>{shown.replace(/\r\n?/g, "\n")}</code>
      {isLong && (
        <Button variant="subtle" color="gray" size="compact-sm" onClick={() => setWhole(!whole)}>
          {whole ? "Show less" : `Show all ${formatNumber(text.length)} characters`}
        </Button>
      )}
    </>
  )
}
