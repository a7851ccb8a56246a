import { type CreatedToken, tokens } from "@envkeep/contract"
import { Button, Group, Stack, Text, TextInput } from "@mantine/core"
import { useState } from "react"
import { useCallForm } from "../../lib/call-form.ts"
import { copy } from "../../lib/clipboard.ts"
import { CodeSample } from "../../ui/CodeSample.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { CollectionChoice } from "./CollectionChoice.tsx"
import { useCreateToken } from "./queries.ts"
import { ExpiryChoice, ScopeChoice } from "./TokenTerms.tsx"

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
        <ScopeChoice chosen={scope} onChange={form.field("scope").onChange} />
        <CollectionChoice
          chosen={collectionIds}
          error={form.field("collectionIds").error}
          onChange={(ids) => form.field("collectionIds").onChange(ids)}
        />
        <ExpiryChoice days={days} onChange={form.field("days").onChange} />
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
      <CodeSample title="the token" language="text" code={token} onCopy={copy} />
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
