import type { Environment } from "@envkeep/contract"
import { Button, Text } from "@mantine/core"
import { useState } from "react"
import { useMaskWhenIdle } from "../../../lib/mask-after.ts"
import { Dialog } from "../../../ui/Dialog.tsx"
import { Form, SubmitButton } from "../../../ui/Form.tsx"
import { NoteField } from "../../history/NoteField.tsx"
import { ImportConflict } from "./ImportConflict.tsx"
import { ImportDescribed } from "./ImportDescribed.tsx"
import { ImportOptions } from "./ImportOptions.tsx"
import { ImportRefusal } from "./ImportRecognised.tsx"
import { ImportResult } from "./ImportResult.tsx"
import { ImportSource } from "./ImportSource.tsx"
import { partsOf } from "./incoming.ts"
import { useImportText } from "./use-import-text.ts"
import { useSaveImport } from "./use-save-import.ts"
import "./import.css"

interface ImportDialogProps {
  environment: Environment
  unsaved: number
  /** Text that was pasted elsewhere. */
  initialText: string
  opened: boolean
  onClose: () => void
}

export function ImportDialog({ environment, unsaved, initialText, opened, onClose }: ImportDialogProps) {
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      title={`Import into ${environment.name}`}
      size="xl"
      // A stray click must not discard a page of text.
      closesOutside={false}
      fillsPhone
    >
      <ImportForm environment={environment} unsaved={unsaved} initialText={initialText} onClose={onClose} />
    </Dialog>
  )
}

function ImportForm({ environment, unsaved, initialText, onClose }: Omit<ImportDialogProps, "opened">) {
  // The state when the dialog opened. What others change after that is in the preview, and is named.
  const [opened] = useState(environment)
  const content = useImportText(environment, initialText)
  const { text, isEmpty, initialRefusal, read, take, plan } = content
  const [describes, setDescribes] = useState(false)
  const [note, setNote] = useState("")
  const { confirm, isSaving } = useSaveImport({ environment, content, note, describes, onClose })
  const [shown, setShown] = useState(false)
  useMaskWhenIdle(shown, () => setShown(false))
  const removes = !isEmpty && take === "values" && plan !== undefined && plan.removed.length > 0
  return (
    <Form onSubmit={confirm}>
      <ImportSource text={text} file={content.file} shown={shown} onText={content.edit} />
      <ImportOptions
        detected={content.detected}
        chosen={content.chosen}
        parts={isEmpty || read === undefined ? [] : partsOf(read)}
        part={content.choices.from}
        mode={take === "values" ? content.mode : undefined}
        onChoose={content.chooseSyntax}
        onPart={content.choosePart}
        onMode={content.setMode}
      />
      {text === "" && initialRefusal !== undefined && <ImportRefusal refusal={initialRefusal} />}
      {!isEmpty && <ImportResult content={content} shown={shown} onToggleShown={() => setShown(!shown)} />}
      {!isEmpty && <ImportDescribed found={content.described} take={take} checked={describes} onCheck={setDescribes} />}
      {unsaved > 0 && (
        <Text size="sm" c="dimmed" mt="sm">
          Unsaved edits of rows are kept, except those of removed items.
        </Text>
      )}
      <div className="import-actions">
        {!isSaving && <ImportConflict opened={opened} now={environment} />}
        {take === "values" && <NoteField note={note} onNote={setNote} />}
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <SubmitButton {...(removes && { color: "red" })}>Import</SubmitButton>
      </div>
    </Form>
  )
}
