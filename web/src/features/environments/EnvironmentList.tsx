import type { Environment } from "@envkeep/contract"
import { IconStack2 } from "@tabler/icons-react"
import { useState } from "react"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { CreateEnvironmentForm } from "./CreateEnvironmentForm.tsx"
import { EnvironmentBlock } from "./EnvironmentBlock.tsx"
import "./environments.css"

interface EnvironmentListProps {
  collectionId: number
  environments: Environment[]
}

/** After a deletion the focus moves to the next environment, or to the form for a new one. */
export function EnvironmentList({ collectionId, environments }: EnvironmentListProps) {
  const [focusOn, setFocusOn] = useState<number | "create">()
  const onFocused = () => setFocusOn(undefined)
  return (
    <>
      <CreateEnvironmentForm collectionId={collectionId} focused={focusOn === "create"} onFocused={onFocused} />
      {environments.length === 0 && (
        <EmptyState icon={<Icon shape={IconStack2} />} title="No environments yet">
          Create one for each place this app runs, such as development, staging and production.
        </EmptyState>
      )}
      {environments.map((environment, at) => (
        <EnvironmentBlock
          key={environment.id}
          environment={environment}
          focused={focusOn === environment.id}
          onFocused={onFocused}
          onDeleted={() => setFocusOn(environments[at + 1]?.id ?? "create")}
        />
      ))}
    </>
  )
}
