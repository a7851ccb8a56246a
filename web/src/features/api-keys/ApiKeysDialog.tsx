import type { ApiKey } from "@envkeep/contract"
import { Text, TextInput } from "@mantine/core"
import { useRef, useState } from "react"
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { KeyIcon } from "../../ui/icons.tsx"
import { ApiKeyRow } from "./ApiKeyRow.tsx"
import { useCreateApiKey, useRemoveApiKey } from "./queries.ts"
import "./api-keys.css"

interface ApiKeysDialogProps {
  environmentId: number
  environmentName: string
  collectionId: number
  apiKeys: ApiKey[]
  opened: boolean
  onClose: () => void
}

export function ApiKeysDialog({ environmentName, apiKeys, opened, onClose, ...ids }: ApiKeysDialogProps) {
  const [name, setName] = useState("")
  const [deleting, setDeleting] = useState<ApiKey>()
  const [asking, setAsking] = useState(false)
  const remove = useRemoveApiKey(ids.collectionId)

  function ask(apiKey: ApiKey) {
    setDeleting(apiKey)
    setAsking(true)
  }
  async function confirm() {
    if (deleting !== undefined) await remove({ id: deleting.id })
    setAsking(false)
  }
  return (
    <>
      <Dialog
        opened={opened}
        onClose={onClose}
        title={`API keys of ${environmentName}`}
        size="lg"
        covered={asking}
        closesOutside={name.trim() === ""}
      >
        <Text size="sm" c="dimmed" mb="md">
          Each key reads this environment and nothing else. Give every machine its own, so that one can be withdrawn
          alone.
        </Text>
        <AddApiKeyForm {...ids} name={name} setName={setName} />
        {apiKeys.length === 0 ? (
          <EmptyState icon={<KeyIcon />} title="No API Keys" />
        ) : (
          <ul className="api-keys" aria-label="API keys">
            {apiKeys.map((apiKey) => (
              <ApiKeyRow key={apiKey.id} apiKey={apiKey} onDelete={() => ask(apiKey)} />
            ))}
          </ul>
        )}
      </Dialog>
      <ConfirmDialog
        opened={asking}
        title="Delete this API key?"
        confirm="Delete"
        onConfirm={confirm}
        onClose={() => setAsking(false)}
      >
        <strong>{deleting?.name}</strong> stops working at once, wherever it is used. This cannot be undone.
      </ConfirmDialog>
    </>
  )
}

interface AddApiKeyFormProps {
  environmentId: number
  collectionId: number
  name: string
  setName: (name: string) => void
}

function AddApiKeyForm({ name, setName, ...ids }: AddApiKeyFormProps) {
  const field = useRef<HTMLInputElement>(null)
  const [tried, setTried] = useState(false)
  const create = useCreateApiKey(ids)

  async function submit() {
    const done = await create(name)
    setTried(done === undefined)
    if (done === undefined) return
    setName("")
    // Ready for the next one.
    field.current?.focus()
  }
  return (
    <Form label="Add API key" className="api-keys__add" onSubmit={submit}>
      <TextInput
        label="Name"
        placeholder="web-server-1"
        autoComplete="off"
        data-autofocus
        ref={field}
        value={name}
        error={tried && name.trim() === ""}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <SubmitButton>Add</SubmitButton>
    </Form>
  )
}
