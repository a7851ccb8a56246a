import { Text } from "@mantine/core"
import type { ReactNode } from "react"
import "./row-list.css"

interface PersonNameProps {
  name: string
  /** A second line, such as the e-mail address. */
  details: ReactNode
  /** Short remarks beside the name. */
  chips?: ReactNode
}

/** A person or a team in a list. */
export function PersonName({ name, details, chips }: PersonNameProps) {
  return (
    <div className="person">
      <span className="person__avatar" aria-hidden="true">
        {initialOf(name)}
      </span>
      <div className="person__text">
        <span className="person__name">
          <Text component="span" fw={600} className="breaks-anywhere">
            {name}
          </Text>
          {chips}
        </span>
        <Text size="sm" c="dimmed" className="breaks-anywhere">
          {details}
        </Text>
      </div>
    </div>
  )
}

/** An emoji or a letter with accents is one character to its reader. */
export function initialOf(name: string): string {
  const [first] = new Intl.Segmenter().segment(name)
  return first?.segment.toUpperCase() ?? ""
}
