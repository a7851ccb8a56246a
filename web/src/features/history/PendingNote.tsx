import { Button, Popover, Text } from "@mantine/core"
import { IconMessage2 } from "@tabler/icons-react"
import { useRef, useState } from "react"
import { Icon } from "../../ui/Icon.tsx"
import { NoteField } from "./NoteField.tsx"

interface PendingNoteProps {
  note: string
  onNote: (note: string) => void
}

/** A note for the next save of an environment's rows. It opens over them, so that no row moves. */
export function PendingNote({ note, onNote }: PendingNoteProps) {
  const [opened, setOpened] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const label = note.trim() === "" ? "Add a note" : "Edit the note"
  function close() {
    setOpened(false)
    button.current?.focus({ preventScroll: true })
  }
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      position="bottom-end"
      width={320}
      shadow="md"
      trapFocus
      closeOnEscape={false}
      transitionProps={{ duration: 0 }}
      portalProps={{ target: "main" }}
    >
      <Popover.Target>
        <Button
          ref={button}
          variant="subtle"
          color="gray"
          size="xs"
          className="pending-note icons-on-phones"
          title={note.trim() === "" ? label : note}
          leftSection={<Icon shape={IconMessage2} />}
          onClick={() => setOpened(!opened)}
        >
          {label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown className="pending-note__field" aria-label="Note for the next save">
        <form
          onSubmit={(event) => {
            event.preventDefault()
            close()
          }}
          onKeyDown={(event) => event.key === "Escape" && close()}
        >
          <NoteField note={note} onNote={onNote} />
          <div className="pending-note__end">
            <Text size="xs" c="dimmed">
              It goes into the history with your next save.
            </Text>
            <Button type="submit" size="xs" variant="default">
              Done
            </Button>
          </div>
        </form>
      </Popover.Dropdown>
    </Popover>
  )
}
