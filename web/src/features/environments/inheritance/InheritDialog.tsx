import type { Environment } from "@envkeep/contract"
import { Button, Group, NativeSelect, Text } from "@mantine/core"
import { useState } from "react"
import { basesOf, inheritanceOf, possibleBases } from "../../../lib/inheritance.ts"
import { Dialog } from "../../../ui/Dialog.tsx"
import { Form, SubmitButton } from "../../../ui/Form.tsx"
import { useRebaseEnvironment } from "../queries.ts"
import { rebasePreview } from "./rebase-preview.ts"

interface InheritDialogProps {
  environment: Environment
  /** All environments of the collection. */
  environments: readonly Environment[]
  opened: boolean
  onClose: () => void
}

/** Chooses what an environment inherits from, and shows what that changes. */
export function InheritDialog({ opened, onClose, ...rest }: InheritDialogProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={`Base of ${rest.environment.name}`}>
      <InheritForm {...rest} onClose={onClose} />
    </Dialog>
  )
}

function InheritForm({ environment, environments, onClose }: Omit<InheritDialogProps, "opened">) {
  const { id, name, baseId, revision, collectionId, isProtected } = environment
  // A base that someone else has chosen in the meantime is not replaced without a word: the server compares.
  const [opened] = useState({ baseId, revision })
  const [chosen, setChosen] = useState(baseId)
  const rebase = useRebaseEnvironment(collectionId)
  const possible = possibleBases(environment, environments)
  const isOpen = (base: Environment) => isProtected || !base.isProtected
  const before = inheritanceOf(environment, basesOf(environment, environments))
  const after = inheritanceOf(environment, basesOf({ baseId: chosen }, environments))
  const preview = rebasePreview(name, before, after)

  async function submit() {
    const done = await rebase({ id, baseId: chosen, revision: opened.revision }, opened.baseId)
    if (done !== undefined) onClose()
  }
  return (
    <Form onSubmit={submit}>
      <Text size="sm" c="dimmed" mb="sm" className="breaks-anywhere">
        What <strong>{name}</strong> does not set itself comes from its base. A change of the base reaches it within a
        second.
      </Text>
      <NativeSelect
        label="Base"
        data-autofocus
        value={String(chosen ?? "")}
        onChange={({ currentTarget: { value } }) => setChosen(value === "" ? null : Number(value))}
      >
        <option value="">None</option>
        {possible.map((base) => (
          <option key={base.id} value={base.id} disabled={!isOpen(base)}>
            {isOpen(base) ? base.name : `${base.name} (protected)`}
          </option>
        ))}
      </NativeSelect>
      {possible.length === 0 && (
        <Text size="sm" mt="sm">
          {environments.length === 1
            ? "There is no other environment in this collection yet."
            : "There is nothing to choose: the other environments inherit from this one, or have too many levels above."}
        </Text>
      )}
      {!possible.every(isOpen) && (
        <Text size="sm" c="dimmed" mt="xs" className="breaks-anywhere">
          What inherits from a protected environment must be protected itself. Protect <strong>{name}</strong> first to
          choose one.
        </Text>
      )}
      <div role="status">
        {chosen !== opened.baseId && (
          <ul className="inherit-preview">
            {preview.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        )}
      </div>
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <SubmitButton disabled={chosen === opened.baseId}>Save</SubmitButton>
      </Group>
    </Form>
  )
}
