import { Text, Title } from "@mantine/core"
import { type ReactNode, useId } from "react"
import "./row-list.css"

interface SectionProps {
  title: string
  /** One or two sentences below the heading. */
  lead?: ReactNode
  children: ReactNode
}

/** A part of a page: a heading and a card. */
export function Section({ title, lead, children }: SectionProps) {
  const heading = useId()
  return (
    <section className="section" aria-labelledby={heading}>
      {/* Gets the focus when the element that had it is removed. */}
      <Title order={2} id={heading} tabIndex={-1}>
        {title}
      </Title>
      {lead !== undefined && (
        <Text size="sm" c="dimmed" mt={2}>
          {lead}
        </Text>
      )}
      <div className="card section__card">{children}</div>
    </section>
  )
}
