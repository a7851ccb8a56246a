import type { Environment } from "@envkeep/contract"
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx"
import { useRemoveEnvironment } from "./queries.ts"

interface DeleteEnvironmentProps {
  environment: Environment
  opened: boolean
  onClose: () => void
  onDeleted: () => void
}

export function DeleteEnvironment({ environment, opened, onClose, onDeleted }: DeleteEnvironmentProps) {
  const { id, name, collectionId } = environment
  const remove = useRemoveEnvironment(collectionId)

  async function confirm() {
    const done = await remove({ id })
    onClose()
    if (done !== undefined) onDeleted()
  }
  return (
    <ConfirmDialog
      opened={opened}
      title="Delete this environment?"
      confirm="Delete"
      onConfirm={confirm}
      onClose={onClose}
    >
      <strong>{name}</strong> is deleted with its items and API keys. Apps that read it stop getting values immediately.
      This cannot be undone.
    </ConfirmDialog>
  )
}
