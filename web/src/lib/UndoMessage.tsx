import { Button } from "@mantine/core"

interface UndoMessageProps {
  message: string
  onUndo: () => void
}

/** The content of a notification whose change can be taken back. */
export function UndoMessage({ message, onUndo }: UndoMessageProps) {
  return (
    <>
      <span>{message}</span>
      <Button variant="subtle" size="compact-sm" onClick={onUndo}>
        Undo
      </Button>
    </>
  )
}
