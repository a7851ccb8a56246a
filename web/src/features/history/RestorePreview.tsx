import type { NameChange } from "@envkeep/contract"
import { Alert, Button } from "@mantine/core"
import { useState } from "react"
import { formatNumber } from "../../ui/counts.ts"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { Names } from "../../ui/Names.tsx"
import { ScrollBox } from "../../ui/ScrollBox.tsx"
import { ChangeList } from "./ChangeList.tsx"
import { unrestorable } from "./changes.ts"
import { NoteField } from "./NoteField.tsx"

/** The first ones are enough to understand why. */
const maxNames = 20

interface RestorePreviewProps {
  /** From the present to what would be restored. */
  changes: readonly NameChange[]
  none: string
  onRestore: (note: string) => Promise<unknown>
  onClose: () => void
}

/** Shows what a restore would change, and asks. */
export function RestorePreview({ changes, none, onRestore, onClose }: RestorePreviewProps) {
  const [note, setNote] = useState("")
  const lost = unrestorable(changes)
  return (
    <Form className="restore-preview" onSubmit={() => onRestore(note)}>
      {lost.length > 0 && (
        <Alert role="group" className="danger-note" mb="sm" title="This cannot be restored as a whole">
          The values of these names were erased or are damaged: <Names names={lost.slice(0, maxNames)} />
          {lost.length > maxNames && ` and ${formatNumber(lost.length - maxNames)} more`}. Restore the other names one
          by one, from their own history.
        </Alert>
      )}
      <ScrollBox label="What will change">
        <ChangeList changes={changes} none={none} />
      </ScrollBox>
      <div className="history-actions">
        <NoteField note={note} onNote={setNote} />
        <Button variant="default" onClick={onClose} data-autofocus>
          Cancel
        </Button>
        <SubmitButton disabled={changes.length === 0 || lost.length > 0}>Restore</SubmitButton>
      </div>
    </Form>
  )
}
