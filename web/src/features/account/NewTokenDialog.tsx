import { type CreatedToken, scopes, tokenDays, tokens } from "@envkeep/contract"
import { Button, Group, NativeSelect, Stack, Text, TextInput } from "@mantine/core"
import { useState } from "react"
import { useCallForm } from "../../lib/call-form.ts"
import { copy } from "../../lib/clipboard.ts"
import { CodeSample } from "../../ui/CodeSample.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { CollectionChoice } from "./CollectionChoice.tsx"
import { useCreateToken } from "./queries.ts"
import { scopeWords } from "./scope-words.ts"

interface NewTokenDialogProps {
  opened: boolean
  onClose: () => void
}

export function NewTokenDialog({ opened, onClose }: NewTokenDialogProps) {
  const [created, setCreated] = useState<CreatedToken>()

  function close() {
    onClose()
    setCreated(undefined)
  }
  return (
    <Dialog
      opened={opened}
      onClose={close}
      title={created === undefined ? "New token" : "Your new token"}
      size="lg"
      // A click beside it must not lose what cannot be shown again.
      closesOutside={false}
    >
      {created === undefined ? (
        <NewTokenForm onCreated={setCreated} onClose={close} />
      ) : (
        <ShownOnce token={created.token} onClose={close} />
      )}
    </Dialog>
  )
}

const neverExpires = "never"
const expiries = [
  ...tokenDays.map((days) => ({ value: String(days), label: `After ${days} days` })),
  { value: neverExpires, label: "Never" },
]

function NewTokenForm({ onCreated, onClose }: { onCreated: (token: CreatedToken) => void; onClose: () => void }) {
  const form = useCallForm(tokens.create, { name: "", scope: "read", days: 90 })
  const create = useCreateToken()

  async function submit() {
    const done = await form.send(create)
    if (done !== undefined) onCreated(done.data)
  }
  const { scope, days, collectionIds } = form.values
  return (
    <Form onSubmit={submit}>
      <Stack gap="md">
        <TextInput label="Name" placeholder="laptop" autoComplete="off" data-autofocus {...form.field("name")} />
        <fieldset className="choices">
          <legend>What it may do</legend>
          {scopes.map((one) => (
            <label key={one} className="choice">
              <input
                type="radio"
                name="scope"
                checked={scope === one}
                onChange={() => form.field("scope").onChange(one)}
              />
              <span>
                <strong>{scopeWords[one].label}</strong>
                <span className="choice__text">{scopeWords[one].text}</span>
              </span>
            </label>
          ))}
        </fieldset>
        <CollectionChoice
          chosen={collectionIds}
          error={form.field("collectionIds").error}
          onChange={(ids) => form.field("collectionIds").onChange(ids)}
        />
        <NativeSelect
          label="Expires"
          data={expiries}
          value={String(days ?? neverExpires)}
          onChange={({ currentTarget: { value } }) =>
            form.field("days").onChange(value === neverExpires ? undefined : Number(value))
          }
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <SubmitButton>Create token</SubmitButton>
        </Group>
      </Stack>
    </Form>
  )
}

function ShownOnce({ token, onClose }: { token: string; onClose: () => void }) {
  return (
    <Stack gap="md">
      <Text size="sm">Copy the token now. It is not shown again, and we cannot look it up.</Text>
      <CodeSample title="the token" language="sh" code={token} onCopy={copy} />
      <div>
        <Text size="sm" c="dimmed" mb={6}>
          Programs send it in a header. This lists your collections:
        </Text>
        <CodeSample title="a call with the token" language="sh" code={callWith(token)} onCopy={copy} />
      </div>
      <Group justify="flex-end">
        <Button onClick={onClose} data-autofocus>
          Done
        </Button>
      </Group>
    </Stack>
  )
}

/** Most shells can leave lines that start with a space out of their history. */
function callWith(token: string): string {
  return ` export ENVKEEP_TOKEN=${token}\ncurl -fsS -H "Authorization: Bearer $ENVKEEP_TOKEN" \\\n${location.origin}/api/collection`
}
