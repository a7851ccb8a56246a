import type { Environment } from "@envkeep/contract"
import { printRaw, type Variable } from "@envkeep/formats"
import { useDebouncedCallback } from "@mantine/hooks"
import { useMemo, useRef, useState } from "react"
import type { RawClash } from "./RawConflict.tsx"
import { type DotenvFault, type DotenvSigns, findDotenvSigns, readDotenv } from "./raw-dotenv.ts"
import { mergeTheirs, valuesOf } from "./raw-merge.ts"
import { fitsInLine, rawText } from "./raw-text.ts"

/** How long the user stops typing before the notes below the text are updated. */
const typingPauseMs = 300

/** What the text area does not hold, but Confirm saves or the notes need. */
interface TextState {
  /** Values with line breaks that were read from a .env text. */
  beside: Variable[]
  /** The text whose lines are meant literally. */
  known: string
  /** The text and this state before it was read as a .env file, until it is edited again. */
  unread?: { text: string; state: TextState } | undefined
}

/** The text of an environment while it is edited, and what is noted below it. */
export function useRawText(environment: Environment, onEdited: (edited: boolean) => void) {
  // The state when the dialog opened: a reload in the background must not change the text while it is edited.
  const [opened, setOpened] = useState(environment)
  const before = useMemo(() => rawText(opened.collectionItems), [opened])
  const [initialText, setInitialText] = useState(before.text)
  const [state, setState] = useState<TextState>({ beside: [], known: before.text })
  const [signs, setSigns] = useState<DotenvSigns>()
  const [faults, setFaults] = useState<DotenvFault[]>([])
  const [error, setError] = useState<string>()
  // Uncontrolled: rendering thousands of lines at every key would be slow.
  const field = useRef<HTMLTextAreaElement>(null)
  const textNow = () => field.current?.value ?? ""

  const updateNotes = useDebouncedCallback(() => {
    if (field.current === null) return
    onEdited(textNow() !== before.text || state.beside.length > 0)
    setSigns(findDotenvSigns(textNow(), state.known))
  }, typingPauseMs)

  function clearFaults() {
    setFaults([])
    setError(undefined)
  }

  function change() {
    onEdited(true)
    clearFaults()
    setState((current) => ({ ...current, unread: undefined }))
    updateNotes()
  }

  /** Also moves the focus, because the button that was pressed disappears. */
  function replaceText(text: string, next: TextState) {
    if (field.current === null) return
    field.current.value = text
    field.current.focus()
    setState(next)
    clearFaults()
    setSigns(findDotenvSigns(text, next.known))
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

  function undoReading() {
    if (state.unread) replaceText(state.unread.text, state.unread.state)
  }

  function takeTheirs({ now, mine }: RawClash) {
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
    clearFaults()
    onEdited(text !== rawText(now.collectionItems).text)
  }

  const { beside, known, unread } = state
  const notes = { signs, faults, wasRead: unread !== undefined, damaged: before.damaged }
  return {
    opened,
    before,
    initialText,
    field,
    textNow,
    beside,
    known,
    notes,
    error,
    setError,
    change,
    readAsDotenv,
    undoReading,
    takeTheirs,
  }
}
