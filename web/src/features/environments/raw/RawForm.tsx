import type { Environment } from "@envkeep/contract"
import { Button, Text, Textarea } from "@mantine/core"
import { useDebouncedCallback } from "@mantine/hooks"
import { useMemo, useRef, useState } from "react"
import { copy } from "../../../lib/clipboard.ts"
import { notify } from "../../../lib/notify.ts"
import { Form, SubmitButton } from "../../../ui/Form.tsx"
import { useReloadEnvironment, useSaveAllItems } from "../queries.ts"
import { RawConflict } from "./RawConflict.tsx"
import { RawNotes } from "./RawNotes.tsx"
import { changesBetween, isUnchanged } from "./raw-changes.ts"
import { keptOver, looksLikeDotenv, mergeRaw, rawText } from "./raw-text.ts"

/** How long the user stops typing before the notes below the text are updated. */
const typingPauseMs = 300

interface RawFormProps {
  environment: Environment
  onEdited: (edited: boolean) => void
  /** A question of this form is in front of it. */
  onCovered: (covered: boolean) => void
  onCancel: () => void
  onSaved: () => void
}

export function RawForm({ environment, onEdited, onCovered, onCancel, onSaved }: RawFormProps) {
  // The state when the dialog opened: a reload in the background must not change the text while it is edited.
  const [opened, setOpened] = useState(environment)
  const before = useMemo(() => rawText(opened.collectionItems), [opened])
  const [newer, setNewer] = useState<Environment>()
  const [dotenv, setDotenv] = useState(false)
  // Uncontrolled: rendering thousands of lines at every key would be slow.
  const field = useRef<HTMLTextAreaElement>(null)
  const textNow = () => field.current?.value ?? ""
  const reloadEnvironment = useReloadEnvironment(environment)
  const saveAll = useSaveAllItems(environment.collectionId)

  const updateNotes = useDebouncedCallback(() => {
    if (field.current === null) return
    onEdited(textNow() !== before.text)
    setDotenv(looksLikeDotenv(textNow(), before.text))
  }, typingPauseMs)

  /** Saves over `seen`, the state that the user has seen. Over any other, it asks first: a change would be lost. */
  async function save(seen: Environment) {
    const text = textNow()
    if (mergeRaw(text, []).lines.length === 0) return notify.error("No data found")
    const now = await reloadEnvironment()
    if (now === undefined) return
    if (!isUnchanged(changesBetween(seen.collectionItems, now.collectionItems))) return ask(now)
    ask(undefined)
    const { all } = mergeRaw(text, keptOver(before, now.collectionItems))
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
        One <code>NAME=value</code> per line. After Confirm the environment holds exactly these lines
        {before.kept.length > 0 && ", plus the values with line breaks listed below"}.
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
          updateNotes()
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
