import type { Environment } from "@envkeep/contract"
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx"
import { RestorableFor } from "../trash/RestorableFor.tsx"
import { useRemoveEnvironment } from "./queries.ts"
import { WhatGoes } from "./WhatGoes.tsx"

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
      details={<WhatGoes environments={[environment]} />}
    >
      <strong>{name}</strong> moves to the trash with its items and API keys. Apps that read it stop getting values
      within a second. <RestorableFor collectionId={collectionId} />
    </ConfirmDialog>
  )
}
