import { Button } from "@mantine/core"
import { IconColumns3 } from "@tabler/icons-react"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { Icon } from "../../ui/Icon.tsx"

/** For environments without a variable. */
export function NoVariables() {
  return (
    <EmptyState icon={<Icon shape={IconColumns3} />} title="No variables yet">
      Add them to an environment, import a file, or add a name here.
    </EmptyState>
  )
}

/** For a text and a filter that no name matches. */
export function NoNames({ isFiltered, onShowAll }: { isFiltered: boolean; onShowAll: () => void }) {
  return (
    <EmptyState icon={<Icon shape={IconColumns3} />} title="No names found">
      <p>{isFiltered ? "No name contains this text and matches this filter." : "No name contains this text."}</p>
      <Button variant="default" onClick={onShowAll}>
        Show all names
      </Button>
    </EmptyState>
  )
}
