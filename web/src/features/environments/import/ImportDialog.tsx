import type { Environment } from "@envkeep/contract"
import type { ReadableFormatName } from "@envkeep/formats"
import { Button, Text } from "@mantine/core"
import { useDebouncedValue } from "@mantine/hooks"
import { useDeferredValue, useMemo, useState } from "react"
import { notify } from "../../../lib/notify.ts"
import { Dialog } from "../../../ui/Dialog.tsx"
import { Form, SubmitButton } from "../../../ui/Form.tsx"
import { useReadAgain, useSaveAllItems } from "../queries.ts"
import { ImportOptions } from "./ImportOptions.tsx"
import { ImportPreview } from "./ImportPreview.tsx"
import { ImportSource } from "./ImportSource.tsx"
import { type Mode, obstacle, planImport } from "./import-plan.ts"
import { detect, readText } from "./import-text.ts"
import "./import.css"

/** In characters: about a thousand lines, which are read between two keys. */
const longText = 50_000

interface ImportDialogProps {
  environment: Environment
  unsaved: number
  opened: boolean
  onClose: () => void
}

export function ImportDialog({ environment, unsaved, opened, onClose }: ImportDialogProps) {
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      title={`Import into ${environment.name}`}
      size="xl"
      // A click beside the dialog is too easily made to throw away a page of text.
      closesOutside={false}
    >
      <ImportForm environment={environment} unsaved={unsaved} onClose={onClose} />
    </Dialog>
  )
}

function ImportForm({ environment, unsaved, onClose }: Omit<ImportDialogProps, "opened">) {
  const items = environment.collectionItems
  const [text, setText] = useState("")
  const [chosen, setChosen] = useState<ReadableFormatName>()
  const [mode, setMode] = useState<Mode>("merge")
  const [leaveOut, setLeaveOut] = useState(false)
  const [shown, setShown] = useState(false)
  // Typing into ten thousand lines stays smooth: they are read when the keys rest, not at each one.
  const [rested] = useDebouncedValue(text, 250)
  const settled = useDeferredValue(text.length > longText ? rested : text)
  const format = chosen ?? detect(settled)
  const incoming = useMemo(() => readText(format, settled), [format, settled])
  const plan = useMemo(() => planImport(incoming, items, mode), [incoming, items, mode])
  const readAgain = useReadAgain(environment)
  const saveAll = useSaveAllItems(environment.collectionId)

  function edit(next: string) {
    setText(next)
    // What was agreed to was about the lines as they stood.
    setLeaveOut(false)
  }

  async function confirm() {
    if (settled !== text) return notify.info("The preview is being made. Please look at it first")
    const reason = obstacle(incoming, plan, leaveOut)
    if (reason !== undefined) return notify.warning(reason)
    // The list that is saved holds the items to keep, too: from a stale one, a colleague's would be taken back.
    const now = await readAgain()
    if (now === undefined) return
    if (now.revision !== environment.revision) {
      return notify.warning(
        "The environment was changed meanwhile. Nothing was saved; please look at the preview again",
      )
    }
    const saved = await saveAll({ id: environment.id, items: plan.result, revision: now.revision })
    if (saved !== undefined) onClose()
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
          setLeaveOut(false)
        }}
        onMode={setMode}
      />
      {settled.trim() !== "" && (
        <ImportPreview
          incoming={incoming}
          plan={plan}
          shown={shown}
          onToggleShown={() => setShown(!shown)}
          leaveOut={leaveOut}
          onLeaveOut={setLeaveOut}
        />
      )}
      {unsaved > 0 && (
        <Text size="sm" c="dimmed" mt="sm">
          Edits of rows that are not saved yet stay as they are; those of removed items go with them.
        </Text>
      )}
      <div className="import-actions">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <SubmitButton {...(plan.removed.length > 0 && { color: "red" })}>Import</SubmitButton>
      </div>
    </Form>
  )
}
