import { limits } from "@envkeep/contract"
import { TextInput } from "@mantine/core"
import "./note-field.css"

interface NoteFieldProps {
  note: string
  onNote: (note: string) => void
}

/** An optional note, which is kept in the history with what is saved. */
export function NoteField({ note, onNote }: NoteFieldProps) {
  return (
    <TextInput
      className="note-field"
      aria-label="Note"
      placeholder="Add a note (optional)"
      autoComplete="off"
      maxLength={limits.note}
      value={note}
      onChange={(event) => onNote(event.currentTarget.value)}
    />
  )
}
