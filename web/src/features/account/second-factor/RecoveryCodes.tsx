import { Button, Group, Stack, Text } from "@mantine/core"
import { IconCopy, IconDownload } from "@tabler/icons-react"
import { copy } from "../../../lib/clipboard.ts"
import { download } from "../../../lib/download.ts"
import { Icon } from "../../../ui/Icon.tsx"

/** New recovery codes, which are shown once. */
export function RecoveryCodes({ codes, onDone }: { codes: string[]; onDone: () => void }) {
  const text = codes.join("\n")
  return (
    <Stack gap="md">
      <Text size="sm">
        Save these codes now. They are not shown again. If you lose your app, each of them lets you log in once.
      </Text>
      <ul className="recovery-codes" aria-label="Recovery codes">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <Button variant="default" leftSection={<Icon shape={IconCopy} />} onClick={() => copy(text)}>
            Copy
          </Button>
          <Button
            variant="default"
            leftSection={<Icon shape={IconDownload} />}
            onClick={() => download("envkeep-recovery-codes.txt", `${text}\n`, "text/plain")}
          >
            Download
          </Button>
        </Group>
        <Button onClick={onDone} data-autofocus>
          I have saved them
        </Button>
      </Group>
    </Stack>
  )
}
