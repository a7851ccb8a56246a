import { Text, Title } from "@mantine/core"
import type { ReactNode } from "react"
import { Logo } from "./Logo.tsx"
import { PageTitle } from "./PageTitle.tsx"
import "./centered-card.css"

interface CenteredCardProps {
  title: string
  lead: string
  /** Links to other pages. */
  footer?: ReactNode
  children: ReactNode
}

/** A page that is one card: a form to sign in, or a question. */
export function CenteredCard({ title, lead, footer, children }: CenteredCardProps) {
  return (
    <div className="centered-card">
      <PageTitle>{title}</PageTitle>
      <div className="centered-card__head">
        <Logo size={44} />
        <Title order={1}>{title}</Title>
        <Text c="dimmed">{lead}</Text>
      </div>
      <div className="card centered-card__body">{children}</div>
      {footer !== undefined && (
        <Text size="sm" c="dimmed" ta="center">
          {footer}
        </Text>
      )}
    </div>
  )
}
