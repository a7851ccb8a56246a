import { Button, Group, Text } from "@mantine/core"
import type { ReactNode } from "react"
import { Dialog } from "./Dialog.tsx"
import { useOnce } from "./use-once.ts"

interface ConfirmDialogProps {
  opened: boolean
  title: string
  children: ReactNode
  /** Shown below the text. */
  details?: ReactNode
  /** The label of the button that confirms. */
  confirm: string
  cancel?: string
  /** Whether it can be taken back, so that the button does not warn. */
  isHarmless?: boolean
  onConfirm: () => Promise<unknown>
  onClose: () => void
}

/** Asks before an action that cannot be undone, or whose effect has to be explained. */
export function ConfirmDialog({
  opened,
  title,
  children,
  details,
  confirm,
  cancel = "Cancel",
  isHarmless = false,
  ...on
}: ConfirmDialogProps) {
  const [run, pending] = useOnce(on.onConfirm)
  return (
    <Dialog opened={opened} onClose={on.onClose} title={title} centered inFront>
      <Text size="sm" c="dimmed" className="breaks-anywhere">
        {children}
      </Text>
      {details}
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={on.onClose} data-autofocus>
          {cancel}
        </Button>
        <Button {...(!isHarmless && { color: "red" })} loading={pending} onClick={run}>
          {confirm}
        </Button>
      </Group>
    </Dialog>
  )
}
