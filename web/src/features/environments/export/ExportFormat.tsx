import { type FormatName, formats } from "@envkeep/formats"
import { readersOf } from "./export-text.ts"
import "./export.css"

/** Beside the formats: a file without values. */
export function ExportExample() {
  return (
    <>
      <span className="export-format__title">.env.example</span>
      <span className="export-format__readers">Names, descriptions and examples, without values</span>
    </>
  )
}

/** A format in a list to choose from. */
export function ExportFormat({ format }: { format: FormatName }) {
  return (
    <>
      <span className="export-format__title">{formats[format].label}</span>
      <span className="export-format__readers">{`For ${readersOf(format)}`}</span>
    </>
  )
}
