import { Group, Text, Title } from "@mantine/core"
import type { ReactNode } from "react"
import { PageTitle } from "./PageTitle.tsx"

interface PageProps {
  title: string
  /** One line below the heading. */
  lead?: ReactNode
  /** A link to the page above this one. */
  breadcrumb?: ReactNode
  actions?: ReactNode
  narrow?: boolean
  children?: ReactNode
}

/** The layout of a screen: tab title, heading, actions beside it, content below. */
export function Page({ title, lead, breadcrumb, actions, narrow = false, children }: PageProps) {
  return (
    <div className={narrow ? "page page--narrow" : "page"}>
      <PageTitle>{title}</PageTitle>
      {breadcrumb}
      <Group justify="space-between" align="flex-start" gap="md" className="page__head">
        <div className="page__heading">
          <Title order={1} className="breaks-anywhere">
            {title}
          </Title>
          {lead !== undefined && (
            <Text c="dimmed" mt={4}>
              {lead}
            </Text>
          )}
        </div>
        {actions}
      </Group>
      {children}
    </div>
  )
}
