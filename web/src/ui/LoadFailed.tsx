import { Button } from "@mantine/core"
import { EmptyState } from "./EmptyState.tsx"
import { WarningIcon } from "./icons.tsx"

interface LoadFailedProps {
  title: string
  message: string
  onRetry: () => void
}

/** Stands where content could not be loaded. The notification passes; this stays and offers the next step. */
export function LoadFailed({ title, message, onRetry }: LoadFailedProps) {
  return (
    <EmptyState icon={<WarningIcon />} title={title}>
      <p>{message}</p>
      <Button variant="default" onClick={onRetry}>
        Try again
      </Button>
    </EmptyState>
  )
}
