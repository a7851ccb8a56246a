import type { Environment } from "@envkeep/contract"
import { useDisclosure } from "@mantine/hooks"
import { IconTrash } from "@tabler/icons-react"
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { IconButton } from "../../ui/IconButton.tsx"
import { useRemoveEnvironment } from "./queries.ts"
import { WhatGoes } from "./WhatGoes.tsx"

interface DeleteEnvironmentProps {
  environment: Environment
  onDeleted: () => void
}

export function DeleteEnvironment({ environment, onDeleted }: DeleteEnvironmentProps) {
  const { id, name, collectionId } = environment
  const [asking, ask] = useDisclosure(false)
  const remove = useRemoveEnvironment(collectionId)

  async function confirm() {
    const done = await remove({ id })
    ask.close()
    if (done !== undefined) onDeleted()
  }
  return (
    <>
      <IconButton label="Delete environment" className="danger-button" onClick={ask.open}>
        <Icon shape={IconTrash} />
      </IconButton>
      <ConfirmDialog
        opened={asking}
        title="Delete this environment?"
        confirm="Delete"
        onConfirm={confirm}
        onClose={ask.close}
        details={<WhatGoes environments={[environment]} />}
      >
        <strong>{name}</strong> is deleted with its items and API keys. Apps that read it stop getting values
        immediately. This cannot be undone.
      </ConfirmDialog>
    </>
  )
}
