import { secretOverlapHours } from "@envkeep/contract"
import { Button, Group, NativeSelect, Stack, Text } from "@mantine/core"
import { useState } from "react"
import { Dialog } from "../../ui/Dialog.tsx"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { useRotateSecret } from "./queries.ts"
import { ShownSecret } from "./ShownSecret.tsx"

interface RotateSecretDialogProps {
  id: number
  webhookId: number
  opened: boolean
  onClose: () => void
}

type Hours = (typeof secretOverlapHours)[number]

const words: Record<Hours, string> = { 0: "Not at all", 1: "1 hour", 24: "24 hours", 168: "7 days" }

export function RotateSecretDialog({ id, webhookId, opened, onClose }: RotateSecretDialogProps) {
  const [secret, setSecret] = useState<string>()
  const [overlapHours, setOverlapHours] = useState<Hours>(24)
  const rotate = useRotateSecret(id)

  function close() {
    onClose()
    setSecret(undefined)
  }
  async function submit() {
    const done = await rotate({ id, webhookId, overlapHours })
    if (done !== undefined) setSecret(done.data.secret)
  }
  return (
    <Dialog opened={opened} onClose={close} title="Rotate the secret" size="lg" closesOutside={false}>
      {secret !== undefined ? (
        <ShownSecret secret={secret} onClose={close} />
      ) : (
        <Form label="Rotate the secret" onSubmit={submit}>
          <Stack gap="md">
            <Text size="sm" c="dimmed">
              Messages are signed with both secrets for a while, so that you can change the receiver without losing any.
            </Text>
            <NativeSelect
              label="The former secret signs too for"
              data={secretOverlapHours.map((hours) => ({ value: String(hours), label: words[hours] }))}
              value={String(overlapHours)}
              onChange={({ currentTarget }) => setOverlapHours(Number(currentTarget.value) as Hours)}
            />
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
              <SubmitButton>Rotate</SubmitButton>
            </Group>
          </Stack>
        </Form>
      )}
    </Dialog>
  )
}
