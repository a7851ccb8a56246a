import { Button, Group, Stack, Text } from "@mantine/core"
import { copy } from "../../lib/clipboard.ts"
import { CodeSample } from "../../ui/CodeSample.tsx"

export function ShownSecret({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <Stack gap="md">
      <Text size="sm">
        Copy the secret now: it is not shown again. The receiver checks with it that a message comes from here, as the
        Standard Webhooks specification says.
      </Text>
      <CodeSample title="the secret" language="text" code={secret} onCopy={copy} />
      <Group justify="flex-end">
        <Button onClick={onClose} data-autofocus>
          Done
        </Button>
      </Group>
    </Stack>
  )
}
