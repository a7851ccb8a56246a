import { allows, type Environment, type Level } from "@envkeep/contract"
import { useDisclosure } from "@mantine/hooks"
import { IconStack2 } from "@tabler/icons-react"
import { useState } from "react"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { hasValues } from "../copy/copy-plan.ts"
import { useInstanceCounts } from "../instances/queries.ts"
import { CreateEnvironment } from "./CreateEnvironment.tsx"
import { EnvironmentBlock } from "./EnvironmentBlock.tsx"
import { ShortcutsDialog } from "./keyboard/ShortcutsDialog.tsx"
import { useListKeys } from "./keyboard/use-list-keys.ts"
import { useKeptEnvironments } from "./use-kept-environments.ts"
import { useOpenEnvironments } from "./use-open-environments.ts"
import "./environments.css"

interface EnvironmentListProps {
  collectionId: number
  /** What the user is in the collection. */
  role: Level
  environments: Environment[]
}

/** After a deletion the focus moves to the next environment, or to where one is created. A new one opens. */
export function EnvironmentList({ collectionId, role, environments }: EnvironmentListProps) {
  const [focus, setFocus] = useState<{ on: number | "create"; without?: number }>()
  const [opened, setOpened] = useOpenEnvironments()
  const [helpOpened, help] = useDisclosure(false)
  useListKeys({ onHelp: help.open })
  const { shown, isDeleted, onUnsaved } = useKeptEnvironments(environments)
  const running = useInstanceCounts(collectionId, environments, allows(role, "editor"))
  const onFocused = () => setFocus(undefined)
  const canManage = allows(role, "maintainer")
  // The form that replaces the button for the first environment is there only once the deleted one is not.
  const focusOn = environments.some(({ id }) => id === focus?.without) ? undefined : focus?.on
  const sources = environments.filter((one) => hasValues(one, environments))
  const targets = environments.filter((one) => !one.valuesHidden && allows(role, "editor", one))

  function onCreated({ id }: Environment) {
    setOpened(id, true)
    setFocus({ on: id })
  }
  function onDeleted(at: number, { id }: Environment) {
    setOpened(id, false)
    onUnsaved(id, false)
    setFocus({ on: shown[at + 1]?.id ?? "create", without: id })
  }
  return (
    <>
      <CreateEnvironment
        collectionId={collectionId}
        environments={environments}
        canCreate={canManage}
        focused={focusOn === "create"}
        onFocused={onFocused}
        onCreated={onCreated}
        onHelp={help.open}
      />
      {shown.length === 0 && (
        <EmptyState icon={<Icon shape={IconStack2} />} title="No environments yet">
          {canManage
            ? "Create one for each place this app runs, such as development, staging and production."
            : "Maintainers and owners of this collection can create one."}
        </EmptyState>
      )}
      {shown.map((environment, at) => (
        <EnvironmentBlock
          // A role that no longer allows edits drops those that are not saved.
          key={`${environment.id} ${allows(role, "editor", environment)}`}
          environment={environment}
          environments={environments}
          role={role}
          canCopyFrom={sources.some(({ id }) => id !== environment.id)}
          canCopyTo={sources.includes(environment) && targets.some(({ id }) => id !== environment.id)}
          running={running.get(environment.id)}
          expanded={opened.has(environment.id)}
          isDeleted={isDeleted(environment)}
          isLast={at === shown.length - 1}
          focused={focusOn === environment.id}
          onFocused={onFocused}
          onToggle={() => setOpened(environment.id, !opened.has(environment.id))}
          onUnsaved={onUnsaved}
          onDeleted={() => onDeleted(at, environment)}
        />
      ))}
      <ShortcutsDialog opened={helpOpened} onClose={help.close} />
    </>
  )
}
