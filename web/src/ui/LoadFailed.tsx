import { Button } from "@mantine/core"
import { IconAlertTriangle } from "@tabler/icons-react"
import { EmptyState } from "./EmptyState.tsx"
import { Icon } from "./Icon.tsx"

interface LoadFailedProps {
  title: string
  message: string
  /** Set when nothing else is on the page. */
  isPage?: boolean
  onRetry: () => void
}

/** Replaces content that could not be loaded. Unlike the notification it stays, and offers to try again. */
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
