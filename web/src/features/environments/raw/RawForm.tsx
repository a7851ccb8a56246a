import type { Environment } from "@envkeep/contract"
import { Button, Text, Textarea } from "@mantine/core"
import { useDebouncedCallback } from "@mantine/hooks"
import { useMemo, useRef, useState } from "react"
import { copy } from "../../../lib/clipboard.ts"
import { notify } from "../../../lib/notify.ts"
import { Form, SubmitButton } from "../../../ui/Form.tsx"
import { useReadAgain, useSaveAllItems } from "../queries.ts"
import { RawConflict } from "./RawConflict.tsx"
import { RawNotes } from "./RawNotes.tsx"
import { changesBetween, isUnchanged } from "./raw-changes.ts"
import { keptNow, mergeRaw, rawText, takesDotenv } from "./raw-text.ts"

/** How long the typing rests before what follows from the text is worked out. */
const restMs = 300

interface RawFormProps {
  environment: Environment
  onEdited: (edited: boolean) => void
  /** A question of this form stands in front of it. */
  onCovered: (covered: boolean) => void
  onCancel: () => void
  onSaved: () => void
}

export function RawForm({ environment, onEdited, onCovered, onCancel, onSaved }: RawFormProps) {
  // As it was when the dialog opened: a reload in the background must not change the text under the cursor.
  const [opened, setOpened] = useState(environment)
  const before = useMemo(() => rawText(opened.collectionItems), [opened])
  const [newer, setNewer] = useState<Environment>()
  const [dotenv, setDotenv] = useState(false)
  // Read when it is needed: to render thousands of lines with every key would be felt.
  const field = useRef<HTMLTextAreaElement>(null)
  const textNow = () => field.current?.value ?? ""
  const readAgain = useReadAgain(environment)
  const saveAll = useSaveAllItems(environment.collectionId)

  const settle = useDebouncedCallback(() => {
    if (field.current === null) return
    onEdited(textNow() !== before.text)
    setDotenv(takesDotenv(textNow(), before.text))
  }, restMs)

  /** Saves over `seen`, the state that the user knows of. Over any other, what somebody else did would be lost. */
  async function save(seen: Environment) {
    const text = textNow()
    if (mergeRaw(text, []).lines.length === 0) return notify.error("No data found")
    const now = await readAgain()
    if (now === undefined) return
    if (!isUnchanged(changesBetween(seen.collectionItems, now.collectionItems))) return ask(now)
    ask(undefined)
    const { all } = mergeRaw(text, keptNow(before, now.collectionItems))
    const lost = rawText(now.collectionItems).damaged.filter((name) => !all.some((variable) => variable.name === name))
    if (lost.length > 0) return notify.warning(`Give ${lost.join(", ")} a value or delete it first: it cannot be read`)
    if ((await saveAll({ id: environment.id, items: all, revision: now.revision })) !== undefined) onSaved()
  }
  function ask(now: Environment | undefined) {
    setNewer(now)
    onCovered(now !== undefined)
  }
  function load(now: Environment) {
    ask(undefined)
    setOpened(now)
    setDotenv(false)
    onEdited(false)
  }
  return (
    <Form className="raw-form" onSubmit={() => save(opened)}>
      <Text size="sm" c="dimmed" mb="sm">
        One <code>NAME=value</code> a line. Confirming makes the environment hold exactly these lines
        {before.kept.length > 0 && ", and the values with line breaks named below"}.
      </Text>
      <Textarea
        key={opened.revision}
        ref={field}
        aria-label="Raw values"
        classNames={{ root: "raw-field", wrapper: "raw-field__wrapper", input: "code-area raw-text" }}
        data-autofocus
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
        placeholder={"DATABASE_URL=postgres://localhost/app\nPORT=8080"}
        defaultValue={before.text}
        onChange={() => {
          onEdited(true)
          settle()
        }}
      />
      <RawNotes before={before} dotenv={dotenv} />
      <div className="raw-actions">
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
        <Button variant="default" onClick={() => copy(textNow())}>
          Copy
        </Button>
        <SubmitButton>Confirm</SubmitButton>
      </div>
      <RawConflict before={opened} now={newer} onLoad={load} onSaveAnyway={save} onClose={() => ask(undefined)} />
    </Form>
  )
}
