import { Text } from "@mantine/core"
import type { ReactNode } from "react"

interface EmptyStateProps {
  icon?: ReactNode
  title: string
  /** Set when nothing else is on the page. */
  isPage?: boolean
  /** What to do next. */
  children?: ReactNode
}

export function EmptyState({ icon, title, isPage = false, children }: EmptyStateProps) {
  return (
    <div className="empty-state">
      {icon !== undefined && <div className="empty-state__icon">{icon}</div>}
      <Text fw={600} {...(isPage && { component: "h1" })}>
        {title}
      </Text>
      {children !== undefined && (
        <Text c="dimmed" size="sm" component="div">
          {children}
        </Text>
      )}
    </div>
  )
}
