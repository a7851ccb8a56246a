import { type FormatName, formats } from "@envkeep/formats"
import { readersOf } from "./export-text.ts"
import "./export.css"

/** A format in a list to choose from. */
export function ExportFormat({ format }: { format: FormatName }) {
  return (
    <>
      <span className="export-format__title">{formats[format].label}</span>
      <span className="export-format__readers">{`For ${readersOf(format)}`}</span>
    </>
  )
}
