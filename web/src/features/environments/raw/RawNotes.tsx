import { Alert } from "@mantine/core"
import { Names } from "../../../ui/Names.tsx"
import type { RawText } from "./raw-text.ts"

interface RawNotesProps {
  before: RawText
  /** Whether the text has lines that mean something else in a .env file. */
  dotenv: boolean
}

export function RawNotes({ before, dotenv }: RawNotesProps) {
  return (
    <>
      {dotenv && (
        <Alert className="raw-note" role="status" mt="sm" title="Every line is taken literally">
          Lines with <code>#</code> or <code>export</code> become names, and quotes become part of the value. To load a
          .env file, use "Import" instead.
        </Alert>
      )}
      {before.kept.length > 0 && (
        <Alert className="raw-note" mt="sm" title="Values with line breaks are kept as they are">
          They do not fit on one line, so they are not in this text:{" "}
          <Names names={before.kept.map(({ name }) => name)} />
        </Alert>
      )}
      {before.damaged.length > 0 && (
        <Alert className="danger-note" mt="sm" title="Damaged items">
          The stored values of these items cannot be read. Enter new values here, or delete the items first:{" "}
          <Names names={before.damaged} />
        </Alert>
      )}
    </>
  )
}
