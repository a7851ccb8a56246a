import { type ApiKey, apiKeys as calls } from "@envkeep/contract"
import { Button, Text, TextInput } from "@mantine/core"
import { IconChevronDown, IconChevronUp, IconKey } from "@tabler/icons-react"
import { useState } from "react"
import { type CallForm, useCallForm } from "../../lib/call-form.ts"
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { useFocusWhen } from "../../ui/use-focus-when.ts"
import { ApiKeyRow } from "./ApiKeyRow.tsx"
import { KeyManagement } from "./KeyManagement.tsx"
import { KeyOptions } from "./KeyOptions.tsx"
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
  const [shown, setShown] = useState<{ id: number; panel: "use" | "manage" }>()
  const shownKey = apiKeys.find(({ id }) => id === shown?.id)
  const isShown = ({ id }: ApiKey, panel: "use" | "manage") => shown?.id === id && shown.panel === panel
  const toggle = (apiKey: ApiKey, panel: "use" | "manage") =>
    setShown(isShown(apiKey, panel) ? undefined : { id: apiKey.id, panel })
  const use = (id: number) => setShown({ id, panel: "use" })
  const remove = useRemoveApiKey(ids.collectionId)

  function close() {
    setShown(undefined)
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
          onCreated={use}
        />
        {apiKeys.length === 0 ? (
          <EmptyState icon={<Icon shape={IconKey} />} title="No API Keys" />
        ) : (
          <ul className="api-keys lined" aria-label="API keys">
            {apiKeys.map((apiKey) => (
              <ApiKeyRow
                key={apiKey.id}
                apiKey={apiKey}
                inUse={isShown(apiKey, "use")}
                isManaged={isShown(apiKey, "manage")}
                onUse={() => toggle(apiKey, "use")}
                onManage={() => toggle(apiKey, "manage")}
                onDelete={() => ask(apiKey)}
              />
            ))}
          </ul>
        )}
        {shownKey !== undefined && shown?.panel === "use" && (
          <KeyUsage key={shownKey.id} apiKey={shownKey} collectionId={ids.collectionId} />
        )}
        {shownKey !== undefined && shown?.panel === "manage" && (
          <KeyManagement key={shownKey.id} apiKey={shownKey} collectionId={ids.collectionId} onRolled={use} />
        )}
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
  const [hasOptions, setHasOptions] = useState(false)
  const create = useCreateApiKey(collectionId)

  async function submit() {
    const created = await form.send(create)
    if (created === undefined) return
    onCreated(created.data.id)
    form.reset()
    setHasOptions(false)
    // Ready for the next key.
    field.current?.focus()
  }
  return (
    <Form label="Add API key" onSubmit={submit}>
      <div className="api-keys__add">
        <TextInput
          label="Name"
          placeholder="web-server-1"
          autoComplete="off"
          data-autofocus
          ref={field}
          {...form.field("name")}
        />
        <SubmitButton className="beside-field">Add</SubmitButton>
      </div>
      <Button
        variant="subtle"
        size="compact-sm"
        mt={6}
        className="api-keys__more"
        aria-expanded={hasOptions}
        onClick={() => setHasOptions(!hasOptions)}
        rightSection={<Icon shape={hasOptions ? IconChevronUp : IconChevronDown} />}
      >
        Options
      </Button>
      {hasOptions && (
        <div className="api-keys__options">
          <KeyOptions field={form.field} />
        </div>
      )}
    </Form>
  )
}
