import { useState } from "react"
import { Dialog } from "../../ui/Dialog.tsx"
import { useCreateWebhook } from "./queries.ts"
import { ShownSecret } from "./ShownSecret.tsx"
import { WebhookForm } from "./WebhookForm.tsx"

interface NewWebhookDialogProps {
  collectionId: number
  environments: readonly { id: number; name: string }[]
  opened: boolean
  onClose: () => void
}

export function NewWebhookDialog({ collectionId, environments, opened, onClose }: NewWebhookDialogProps) {
  const [secret, setSecret] = useState<string>()
  const create = useCreateWebhook(collectionId)

  function close() {
    onClose()
    setSecret(undefined)
  }
  return (
    <Dialog
      opened={opened}
      onClose={close}
      title={secret === undefined ? "New webhook" : "The secret of your webhook"}
      size="lg"
      // A click beside it must not lose what cannot be shown again.
      closesOutside={false}
    >
      {secret === undefined ? (
        <WebhookForm
          initial={{ id: collectionId, url: "", description: "", kinds: null, environmentIds: null }}
          environments={environments}
          submit="Add webhook"
          onSubmit={async (input, onRefused) => {
            const done = await create(input, onRefused)
            if (done !== undefined) setSecret(done.data.secret)
          }}
          onClose={close}
        />
      ) : (
        <ShownSecret secret={secret} onClose={close} />
      )}
    </Dialog>
  )
}
