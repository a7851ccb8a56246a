import { limits } from "@envkeep/contract"
import { Button, TextInput } from "@mantine/core"
import { IconMessage2 } from "@tabler/icons-react"
import { useState } from "react"
import { Icon } from "../../ui/Icon.tsx"
import { useArrivalFocus } from "../../ui/use-arrival-focus.ts"
import "./note-field.css"

interface NoteFieldProps {
  note: string
  onNote: (note: string) => void
}

/** An optional note, behind a button until it is wanted. It is kept in the history with what is saved. */
export function NoteField({ note, onNote }: NoteFieldProps) {
  const [opened, setOpened] = useState(note !== "")
  return (
    <div className="note-field">
      {opened ? (
        <NoteInput note={note} onNote={onNote} />
      ) : (
        <Button
          variant="subtle"
          color="gray"
          leftSection={<Icon shape={IconMessage2} />}
          className="note-field__button"
          onClick={() => setOpened(true)}
        >
          Add a note
        </Button>
      )}
    </div>
  )
}

/** It takes the focus, because it appears when it is asked for. */
export function NoteInput({ note, onNote }: NoteFieldProps) {
  const field = useArrivalFocus()
  return (
    <TextInput
      ref={field}
      aria-label="Note"
      placeholder="Why this change? Shown in the history"
      autoComplete="off"
      maxLength={limits.note}
      value={note}
      onChange={(event) => onNote(event.currentTarget.value)}
    />
  )
}
