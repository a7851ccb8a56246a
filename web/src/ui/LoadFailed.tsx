import { Button } from "@mantine/core"
import { IconAlertTriangle } from "@tabler/icons-react"
import { EmptyState } from "./EmptyState.tsx"
import { Icon } from "./Icon.tsx"

interface LoadFailedProps {
  title: string
  message: string
  /** Set where this is all there is on the page. */
  isPage?: boolean
  onRetry: () => void
}

/** Stands where content could not be loaded. The notification passes; this stays and offers the next step. */
export function LoadFailed({ title, message, isPage = false, onRetry }: LoadFailedProps) {
  return (
    <EmptyState icon={<Icon shape={IconAlertTriangle} />} title={title} isPage={isPage}>
      <p>{message}</p>
      <Button variant="default" onClick={onRetry}>
        Try again
      </Button>
    </EmptyState>
  )
}
