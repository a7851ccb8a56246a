import type { Environment } from "@envkeep/contract"
import { detectSyntax, type Syntax } from "@envkeep/formats/import"
import { Button, Text } from "@mantine/core"
import { useMemo, useState } from "react"
import { useMaskWhenIdle } from "../../../lib/mask-after.ts"
import { notify } from "../../../lib/notify.ts"
import { Dialog } from "../../../ui/Dialog.tsx"
import { Form, SubmitButton } from "../../../ui/Form.tsx"
import { NoteField } from "../../history/NoteField.tsx"
import { isExampleFile, whatIsNew } from "../../names/found-descriptions.ts"
import { useAbouts, useDescribeMany } from "../../names/queries.ts"
import { saveAllTopic, useReloadEnvironment, useSaveAllItems } from "../queries.ts"
import { describedIn } from "./described.ts"
import { ImportConflict } from "./ImportConflict.tsx"
import { ImportDescribed, ImportTake, type Take } from "./ImportDescribed.tsx"
import { ImportDuplicates } from "./ImportDuplicates.tsx"
import { ImportFaults } from "./ImportFaults.tsx"
import { ImportFindings } from "./ImportFindings.tsx"
import { ImportOptions } from "./ImportOptions.tsx"
import { ImportPreview } from "./ImportPreview.tsx"
import { ImportRecognised, ImportRefusal } from "./ImportRecognised.tsx"
import { ImportSource, textRefusal } from "./ImportSource.tsx"
import { importBlocker, type Mode, planImport } from "./import-plan.ts"
import { type Choices, incomingOf, noChoices, partsOf } from "./incoming.ts"
import { useReadText } from "./use-read-text.ts"
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

/** What is described already stays. Values become examples only where they are examples. */
const describeOptions: Record<Take, { withExamples: boolean; replaces: boolean }> = {
  values: { withExamples: false, replaces: false },
  examples: { withExamples: true, replaces: false },
}

function ImportForm({ environment, unsaved, initialText, onClose }: Omit<ImportDialogProps, "opened">) {
  const items = environment.collectionItems
  // The state when the dialog opened. What others change after that is in the preview, and is named.
  const [opened] = useState(environment)
  // The state that the user was last asked about.
  const [seenRevision, setSeenRevision] = useState(environment.revision)
  // Until it closes: what it has saved itself is not a change by others.
  const [isSaving, setIsSaving] = useState(false)
  const initialRefusal = textRefusal(initialText)
  const [text, setText] = useState(initialRefusal === undefined ? initialText : "")
  const [file, setFile] = useState<string>()
  const [chosen, setChosen] = useState<Syntax>()
  const [choices, setChoices] = useState(noChoices)
  const [mode, setMode] = useState<Mode>("merge")
  const [chosenTake, setTake] = useState<Take>()
  const [describes, setDescribes] = useState(false)
  const [skip, setSkip] = useState(false)
  const [shown, setShown] = useState(false)
  const [note, setNote] = useState("")
  useMaskWhenIdle(shown, () => setShown(false))
  const { name: environmentName, isProtected } = environment
  const detected = useMemo(() => detectSyntax(text, file), [text, file])
  const { read, isCurrent, isSlow } = useReadText(text, chosen ?? detected, { environmentName, isProtected })
  const incoming = useMemo(() => read && incomingOf(read, choices), [read, choices])
  const plan = useMemo(() => incoming && planImport(incoming, items, mode), [incoming, items, mode])
  const isEmpty = text.trim() === ""
  const isExample = read?.isExample === true || (file !== undefined && isExampleFile(file))
  const take = isExample && !isEmpty && read?.refusal === undefined ? (chosenTake ?? "examples") : "values"
  const abouts = useAbouts(environment.collectionId)
  const described = useMemo(
    () => whatIsNew(read ? describedIn(read, choices.from) : [], abouts, describeOptions[take]),
    [read, choices.from, abouts, take],
  )
  const describeMany = useDescribeMany(environment.collectionId)
  const reloadEnvironment = useReloadEnvironment(environment)
  const saveAll = useSaveAllItems(environment.collectionId)

  function edit(next: string, from: string | undefined) {
    setText(next)
    setFile(from)
    // The choices to skip lines and to import one part were about the text before this edit.
    setSkip(false)
    setChoices({ ...choices, from: undefined })
  }

  function choose(next: Choices) {
    setChoices(next)
    setSkip(false)
  }

  async function confirm() {
    if (isEmpty) return notify.warning("No data found", saveAllTopic)
    if (!isCurrent || incoming === undefined || plan === undefined)
      return notify.info("The preview is not ready yet. Check it before you import")
    if (take === "examples") return confirmDescriptions()
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
    if (saved === undefined) return setIsSaving(false)
    // If this fails, the values are stored, and the notification says what is not.
    if (describes) await describeMany(described)
    onClose()
  }

  async function confirmDescriptions() {
    if (described.length === 0) return notify.info("Everything in this text is described already")
    if (await describeMany(described)) onClose()
  }
  return (
    <Form onSubmit={confirm}>
      <ImportSource text={text} file={file} shown={shown} onText={edit} />
      <ImportOptions
        detected={detected}
        chosen={chosen}
        parts={isEmpty || read === undefined ? [] : partsOf(read)}
        part={choices.from}
        mode={take === "values" ? mode : undefined}
        onChoose={(next) => {
          setChosen(next)
          setSkip(false)
        }}
        onPart={(from) => choose({ ...choices, from })}
        onMode={setMode}
      />
      {text === "" && initialRefusal !== undefined && <ImportRefusal refusal={initialRefusal} />}
      {!isEmpty && isSlow && (
        <Text size="sm" mt="xs" c="dimmed" role="status">
          Reading the text…
        </Text>
      )}
      {!isEmpty && !isSlow && read !== undefined && <ImportRecognised read={read} isChosen={chosen !== undefined} />}
      {!isEmpty && isExample && read?.refusal === undefined && <ImportTake take={take} onTake={setTake} />}
      {!isEmpty && take === "values" && read !== undefined && incoming?.refusal === undefined && incoming && plan && (
        <>
          <ImportFaults syntax={read.syntax} incoming={incoming} skip={skip} onSkip={setSkip} />
          <ImportDuplicates duplicates={incoming.duplicates} choices={choices} shown={shown} onChoose={setChoices} />
          <ImportFindings read={read} choices={choices} onChoose={setChoices} />
          <ImportPreview plan={plan} shown={shown} onToggleShown={() => setShown(!shown)} />
        </>
      )}
      {!isEmpty && <ImportDescribed found={described} take={take} checked={describes} onCheck={setDescribes} />}
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
        <SubmitButton
          {...(!isEmpty && take === "values" && plan !== undefined && plan.removed.length > 0 && { color: "red" })}
        >
          Import
        </SubmitButton>
      </div>
    </Form>
  )
}
