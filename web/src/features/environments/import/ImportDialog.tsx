import type { Environment } from "@envkeep/contract"
import type { ReadableFormatName } from "@envkeep/formats"
import { Button, Text } from "@mantine/core"
import { useDebouncedValue } from "@mantine/hooks"
import { useDeferredValue, useMemo, useState } from "react"
import { useMaskWhenIdle } from "../../../lib/mask-after.ts"
import { notify } from "../../../lib/notify.ts"
import { Dialog } from "../../../ui/Dialog.tsx"
import { Form, SubmitButton } from "../../../ui/Form.tsx"
import { NoteField } from "../../history/NoteField.tsx"
import { saveAllTopic, useReloadEnvironment, useSaveAllItems } from "../queries.ts"
import { ImportConflict } from "./ImportConflict.tsx"
import { ImportOptions } from "./ImportOptions.tsx"
import { ImportPreview } from "./ImportPreview.tsx"
import { ImportSource } from "./ImportSource.tsx"
import { importBlocker, type Mode, planImport } from "./import-plan.ts"
import { detect, readText } from "./import-text.ts"
import "./import.css"

/** About a thousand lines, which are parsed between two key presses. */
const longTextCharacters = 50_000

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
    >
      <ImportForm environment={environment} unsaved={unsaved} initialText={initialText} onClose={onClose} />
    </Dialog>
  )
}

function ImportForm({ environment, unsaved, initialText, onClose }: Omit<ImportDialogProps, "opened">) {
  const items = environment.collectionItems
  // The state when the dialog opened. What others change after that is in the preview, and is named.
  const [opened] = useState(environment)
  // The state that the user was last asked about.
  const [seenRevision, setSeenRevision] = useState(environment.revision)
  // Until it closes: what it has saved itself is not a change by others.
  const [isSaving, setIsSaving] = useState(false)
  const [text, setText] = useState(initialText)
  const [chosen, setChosen] = useState<ReadableFormatName>()
  const [mode, setMode] = useState<Mode>("merge")
  const [skip, setSkip] = useState(false)
  const [shown, setShown] = useState(false)
  const [note, setNote] = useState("")
  useMaskWhenIdle(shown, () => setShown(false))
  // To keep typing fast, a very long text is parsed after a pause in typing and not at every key.
  const [debounced] = useDebouncedValue(text, 250)
  const settled = useDeferredValue(text.length > longTextCharacters ? debounced : text)
  const format = chosen ?? detect(settled)
  const incoming = useMemo(() => readText(format, settled), [format, settled])
  const plan = useMemo(() => planImport(incoming, items, mode), [incoming, items, mode])
  const reloadEnvironment = useReloadEnvironment(environment)
  const saveAll = useSaveAllItems(environment.collectionId)

  function edit(next: string) {
    setText(next)
    // The choice to skip lines was about the text before this edit.
    setSkip(false)
  }

  async function confirm() {
    if (settled !== text) return notify.info("The preview is not ready yet. Check it before you import")
    const reason = importBlocker(incoming, plan, skip)
    if (reason !== undefined) return notify.warning(reason, saveAllTopic)
    // The list also contains the items to keep. A stale list would undo a colleague's change.
    const now = await reloadEnvironment()
    if (now === undefined) return
    if (now.revision !== seenRevision) {
      setSeenRevision(now.revision)
      const message = "The environment has changed. Nothing was saved; check the new preview first"
      return notify.warning(message, saveAllTopic)
    }
    setIsSaving(true)
    const saved = await saveAll({ id: environment.id, items: plan.result, revision: now.revision, note })
    if (saved === undefined) setIsSaving(false)
    else onClose()
  }
  return (
    <Form onSubmit={confirm}>
      <ImportSource text={text} shown={shown} onText={edit} />
      <ImportOptions
        detected={detect(settled)}
        chosen={chosen}
        mode={mode}
        onChoose={(next) => {
          setChosen(next)
          setSkip(false)
        }}
        onMode={setMode}
      />
      {settled.trim() !== "" && (
        <ImportPreview
          incoming={incoming}
          plan={plan}
          shown={shown}
          onToggleShown={() => setShown(!shown)}
          skip={skip}
          onSkip={setSkip}
        />
      )}
      {!isSaving && <ImportConflict opened={opened} now={environment} />}
      {unsaved > 0 && (
        <Text size="sm" c="dimmed" mt="sm">
          Unsaved edits of rows are kept, except those of removed items.
        </Text>
      )}
      <div className="import-actions">
        <NoteField note={note} onNote={setNote} />
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <SubmitButton {...(plan.removed.length > 0 && { color: "red" })}>Import</SubmitButton>
      </div>
    </Form>
  )
}
