import { Text, Title } from "@mantine/core"
import type { ReactNode } from "react"
import { Logo } from "../../ui/Logo.tsx"
import { PageTitle } from "../../ui/PageTitle.tsx"
import "./auth-card.css"

interface AuthCardProps {
  title: string
  lead: string
  /** The link to the other of the two pages. */
  footer: ReactNode
  children: ReactNode
}

export function AuthCard({ title, lead, footer, children }: AuthCardProps) {
  return (
    <div className="auth-card">
      <PageTitle>{title}</PageTitle>
      <div className="auth-card__head">
        <Logo size={44} />
        <Title order={1}>{title}</Title>
        <Text c="dimmed">{lead}</Text>
      </div>
      <div className="card auth-card__body">{children}</div>
      <Text size="sm" c="dimmed" ta="center">
        {footer}
      </Text>
    </div>
  )
}
