import type { Environment } from "@envkeep/contract"
import { Button, Text } from "@mantine/core"
import { useState } from "react"
import { copy } from "../../../lib/clipboard.ts"
import type { Inheritance } from "../../../lib/inheritance.ts"
import { useMaskedField } from "../../../lib/mask-after.ts"
import { notify } from "../../../lib/notify.ts"
import { CodeArea } from "../../../ui/CodeArea.tsx"
import { Form, SubmitButton } from "../../../ui/Form.tsx"
import { NoteField } from "../../history/NoteField.tsx"
import { changesBetween, isUnchanged } from "../changes-between.ts"
import { inheritedFrom } from "../inherited-from.ts"
import { saveAllTopic, useReloadEnvironment, useSaveAllItems } from "../queries.ts"
import { type RawClash, RawConflict } from "./RawConflict.tsx"
import { RawNotes } from "./RawNotes.tsx"
import { findKey } from "./raw-dotenv.ts"
import { keptOver, mergeRaw, rawText } from "./raw-text.ts"
import { useRawText } from "./use-raw-text.ts"

const noData = "No data found"

interface RawFormProps {
  environment: Environment
  inheritance: Inheritance
  onEdited: (edited: boolean) => void
  /** A question of this form is in front of it. */
  onCovered: (covered: boolean) => void
  onCancel: () => void
  onSaved: () => void
}

export function RawForm({ environment, inheritance, onEdited, onCovered, onCancel, onSaved }: RawFormProps) {
  const raw = useRawText(environment, onEdited)
  const { opened, before } = raw
  const [clash, setClash] = useState<RawClash>()
  const [note, setNote] = useState("")
  const { isMasked, show } = useMaskedField(raw.field)
  const reloadEnvironment = useReloadEnvironment(environment)
  const saveAll = useSaveAllItems(environment.collectionId)

  /** Saves over `seen`, the state that the user has seen. Over any other, it asks first: a change would be lost. */
  async function save(seen: Environment) {
    const text = raw.textNow()
    if (mergeRaw(text, raw.beside).all.length === 0) {
      raw.setError(noData)
      return notify.error(noData, saveAllTopic)
    }
    const key = findKey(text, raw.known)
    if (key !== undefined) {
      const sentence = `Line ${key.line}: ${key.reason}`
      raw.setError(sentence)
      return notify.error(sentence, saveAllTopic)
    }
    const now = await reloadEnvironment()
    if (now === undefined) return
    if (!isUnchanged(changesBetween(seen.collectionItems, now.collectionItems))) {
      return ask({ now, mine: mergeRaw(text, [...before.kept, ...raw.beside]).all })
    }
    ask(undefined)
    const { all } = mergeRaw(text, [...keptOver(before, now.collectionItems), ...raw.beside])
    const lost = rawText(now.collectionItems).damaged.filter((name) => !all.some((variable) => variable.name === name))
    if (lost.length > 0) {
      return notify.warning(`Give ${lost.join(", ")} a value or delete it first: it cannot be read`, saveAllTopic)
    }
    if ((await saveAll({ id: environment.id, items: all, revision: now.revision, note })) !== undefined) onSaved()
  }

  function ask(next: RawClash | undefined) {
    setClash(next)
    onCovered(next !== undefined)
  }

  function takeTheirs(settled: RawClash) {
    ask(undefined)
    raw.takeTheirs(settled)
  }

  const beside = [...new Set([...before.kept, ...raw.beside].map(({ name }) => name))]
  return (
    <Form className="raw-form" onSubmit={() => save(opened)}>
      <Text size="sm" c="dimmed" mb="sm">
        One <code>NAME=value</code> per line. After Confirm the environment holds exactly these lines
        {beside.length > 0 && ", plus the values with line breaks listed below"}.
        {inheritance.items.length > 0 &&
          ` What it inherits is not in the text, and stays: ${inheritedFrom(inheritance)}.`}
      </Text>
      <CodeArea
        key={opened.revision}
        ref={raw.field}
        aria-label="Raw values"
        classNames={{ root: "raw-field", wrapper: "raw-field__wrapper", input: "raw-text" }}
        data-autofocus
        autoComplete="off"
        autoCapitalize="off"
        placeholder={"DATABASE_URL=postgres://localhost/app\nPORT=8080"}
        defaultValue={raw.initialText}
        error={raw.error}
        masked={isMasked}
        onFocus={show}
        onChange={raw.change}
      />
      <RawNotes {...raw.notes} beside={beside} onRead={raw.readAsDotenv} onUndo={raw.undoReading} />
      <div className="raw-actions">
        <NoteField note={note} onNote={setNote} />
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
        <Button variant="default" onClick={() => copy(raw.textNow())}>
          Copy
        </Button>
        <SubmitButton>Confirm</SubmitButton>
      </div>
      <RawConflict
        before={opened}
        clash={clash}
        onTakeTheirs={takeTheirs}
        onSaveAnyway={save}
        onClose={() => ask(undefined)}
      />
    </Form>
  )
}
