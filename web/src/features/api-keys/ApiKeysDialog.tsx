import { type ApiKey, apiKeys as calls } from "@envkeep/contract"
import { Text, TextInput } from "@mantine/core"
import { IconKey } from "@tabler/icons-react"
import { useState } from "react"
import { type CallForm, useCallForm } from "../../lib/call-form.ts"
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { useFocusWhen } from "../../ui/use-focus-when.ts"
import { ApiKeyRow } from "./ApiKeyRow.tsx"
import { KeyUsage } from "./KeyUsage.tsx"
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
  const form = useCallForm(calls.create, { name: "", subCollectionId: ids.environmentId })
  const [deleting, setDeleting] = useState<ApiKey>()
  const [asking, setAsking] = useState(false)
  const [deleted, setDeleted] = useState(false)
  const [usedId, setUsedId] = useState<number>()
  const used = apiKeys.find(({ id }) => id === usedId)
  const remove = useRemoveApiKey(ids.collectionId)

  function close() {
    setUsedId(undefined)
    onClose()
  }

  function ask(apiKey: ApiKey) {
    setDeleting(apiKey)
    setAsking(true)
  }
  async function confirm() {
    if (deleting === undefined) return
    const done = await remove({ id: deleting.id })
    setAsking(false)
    if (done !== undefined) setDeleted(true)
  }
  return (
    <>
      <Dialog
        opened={opened}
        onClose={close}
        title={`API keys of ${environmentName}`}
        size="xl"
        covered={asking}
        closesOutside={form.values.name.trim() === ""}
      >
        <Text size="sm" c="dimmed" mb="md">
          Each key can read this environment and nothing else. Give every machine its own key, so that you can revoke
          one without the others.
        </Text>
        <AddApiKeyForm
          collectionId={ids.collectionId}
          form={form}
          focused={deleted}
          onFocused={() => setDeleted(false)}
          onCreated={setUsedId}
        />
        {apiKeys.length === 0 ? (
          <EmptyState icon={<Icon shape={IconKey} />} title="No API Keys" />
        ) : (
          <ul className="api-keys" aria-label="API keys">
            {apiKeys.map((apiKey) => (
              <ApiKeyRow
                key={apiKey.id}
                apiKey={apiKey}
                inUse={apiKey === used}
                onUse={() => setUsedId(apiKey === used ? undefined : apiKey.id)}
                onDelete={() => ask(apiKey)}
              />
            ))}
          </ul>
        )}
        {used !== undefined && <KeyUsage key={used.id} apiKey={used} collectionId={ids.collectionId} />}
      </Dialog>
      <ConfirmDialog
        opened={asking}
        title="Delete this API key?"
        confirm="Delete"
        onConfirm={confirm}
        onClose={() => setAsking(false)}
      >
        <strong>{deleting?.name}</strong> stops working within a second, wherever it is used. This cannot be undone.
      </ConfirmDialog>
    </>
  )
}

interface AddApiKeyFormProps {
  collectionId: number
  form: CallForm<typeof calls.create>
  /** Whether the name takes the focus now. */
  focused: boolean
  onFocused: () => void
  onCreated: (id: number) => void
}

function AddApiKeyForm({ collectionId, form, focused, onFocused, onCreated }: AddApiKeyFormProps) {
  const field = useFocusWhen<HTMLInputElement>(focused, onFocused)
  const create = useCreateApiKey(collectionId)

  async function submit() {
    const created = await form.send(create)
    if (created === undefined) return
    onCreated(created.data.id)
    form.reset()
    // Ready for the next key.
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
        {...form.field("name")}
      />
      <SubmitButton className="beside-field">Add</SubmitButton>
    </Form>
  )
}
