import type { Environment } from "@envkeep/contract"
import { printRaw, type Variable } from "@envkeep/formats"
import { Button, Text, Textarea } from "@mantine/core"
import { useDebouncedCallback } from "@mantine/hooks"
import { useMemo, useRef, useState } from "react"
import { copy } from "../../../lib/clipboard.ts"
import type { Inheritance } from "../../../lib/inheritance.ts"
import { notify } from "../../../lib/notify.ts"
import { Form, SubmitButton } from "../../../ui/Form.tsx"
import { NoteField } from "../../history/NoteField.tsx"
import { changesBetween, isUnchanged } from "../changes-between.ts"
import { inheritedFrom } from "../inherited-from.ts"
import { saveAllTopic, useReloadEnvironment, useSaveAllItems } from "../queries.ts"
import { type RawClash, RawConflict } from "./RawConflict.tsx"
import { RawNotes } from "./RawNotes.tsx"
import { type DotenvFault, type DotenvSigns, findDotenvSigns, findKey, readDotenv } from "./raw-dotenv.ts"
import { mergeTheirs, valuesOf } from "./raw-merge.ts"
import { fitsInLine, keptOver, mergeRaw, rawText } from "./raw-text.ts"

/** How long the user stops typing before the notes below the text are updated. */
const typingPauseMs = 300

const noData = "No data found"

/** What the text area does not hold, but Confirm saves or the notes need. */
interface TextState {
  /** Values with line breaks that were read from a .env text. */
  beside: Variable[]
  /** The text whose lines are meant literally. */
  known: string
  /** The text and this state before it was read as a .env file, until it is edited again. */
  unread?: { text: string; state: TextState } | undefined
}

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
  // The state when the dialog opened: a reload in the background must not change the text while it is edited.
  const [opened, setOpened] = useState(environment)
  const before = useMemo(() => rawText(opened.collectionItems), [opened])
  const [initialText, setInitialText] = useState(before.text)
  const [clash, setClash] = useState<RawClash>()
  const [state, setState] = useState<TextState>({ beside: [], known: before.text })
  const [signs, setSigns] = useState<DotenvSigns>()
  const [faults, setFaults] = useState<DotenvFault[]>([])
  const [error, setError] = useState<string>()
  const [note, setNote] = useState("")
  // Uncontrolled: rendering thousands of lines at every key would be slow.
  const field = useRef<HTMLTextAreaElement>(null)
  const textNow = () => field.current?.value ?? ""
  const reloadEnvironment = useReloadEnvironment(environment)
  const saveAll = useSaveAllItems(environment.collectionId)

  const updateNotes = useDebouncedCallback(() => {
    if (field.current === null) return
    onEdited(textNow() !== before.text || state.beside.length > 0)
    setSigns(findDotenvSigns(textNow(), state.known))
  }, typingPauseMs)

  function change() {
    onEdited(true)
    setFaults([])
    setError(undefined)
    setState((current) => ({ ...current, unread: undefined }))
    updateNotes()
  }
  function readAsDotenv() {
    const text = textNow()
    const read = readDotenv(text, state.known)
    if ("faults" in read) return setFaults(read.faults)
    replaceText(read.text, {
      beside: [...state.beside, ...read.beside],
      known: read.text,
      unread: { text, state },
    })
  }
  /** Also moves the focus, because the button that was pressed disappears. */
  function replaceText(text: string, next: TextState) {
    if (field.current === null) return
    field.current.value = text
    field.current.focus()
    setState(next)
    setFaults([])
    setError(undefined)
    setSigns(findDotenvSigns(text, next.known))
  }

  /** Saves over `seen`, the state that the user has seen. Over any other, it asks first: a change would be lost. */
  async function save(seen: Environment) {
    const text = textNow()
    if (mergeRaw(text, state.beside).all.length === 0) {
      setError(noData)
      return notify.error(noData, saveAllTopic)
    }
    const key = findKey(text, state.known)
    if (key !== undefined) {
      const sentence = `Line ${key.line}: ${key.reason}`
      setError(sentence)
      return notify.error(sentence, saveAllTopic)
    }
    const now = await reloadEnvironment()
    if (now === undefined) return
    if (!isUnchanged(changesBetween(seen.collectionItems, now.collectionItems))) {
      return ask({ now, mine: mergeRaw(text, [...before.kept, ...state.beside]).all })
    }
    ask(undefined)
    const { all } = mergeRaw(text, [...keptOver(before, now.collectionItems), ...state.beside])
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
  function takeTheirs({ now, mine }: RawClash) {
    ask(undefined)
    const merged = mergeTheirs(opened.collectionItems, now.collectionItems, mine)
    const text = printRaw(merged.filter(({ value }) => fitsInLine(value)))
    const stored = valuesOf(now.collectionItems)
    setOpened(now)
    setInitialText(text)
    setState({
      beside: merged.filter(({ name, value }) => !fitsInLine(value) && stored.get(name) !== value),
      known: text,
    })
    setSigns(undefined)
    setFaults([])
    setError(undefined)
    onEdited(text !== rawText(now.collectionItems).text)
  }
  const beside = [...new Set([...before.kept, ...state.beside].map(({ name }) => name))]
  return (
    <Form className="raw-form" onSubmit={() => save(opened)}>
      <Text size="sm" c="dimmed" mb="sm">
        One <code>NAME=value</code> per line. After Confirm the environment holds exactly these lines
        {beside.length > 0 && ", plus the values with line breaks listed below"}.
        {inheritance.items.length > 0 &&
          ` What it inherits is not in the text, and stays: ${inheritedFrom(inheritance)}.`}
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
        defaultValue={initialText}
        error={error}
        onChange={change}
      />
      <RawNotes
        signs={signs}
        faults={faults}
        wasRead={state.unread !== undefined}
        beside={beside}
        damaged={before.damaged}
        onRead={readAsDotenv}
        onUndo={() => state.unread && replaceText(state.unread.text, state.unread.state)}
      />
      <div className="raw-actions">
        <NoteField note={note} onNote={setNote} />
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
        <Button variant="default" onClick={() => copy(textNow())}>
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
