import { Button, Group, Stack, Text } from "@mantine/core"
import { IconCopy, IconDownload } from "@tabler/icons-react"
import { copy } from "../../../lib/clipboard.ts"
import { download } from "../../../lib/download.ts"
import { Icon } from "../../../ui/Icon.tsx"
import { useArrivalFocus } from "../../../ui/use-arrival-focus.ts"

interface RecoveryCodesProps {
  codes: string[]
  /** Whether the user may have saved others before. */
  areReplaced?: boolean
  onDone: () => void
}

/** New recovery codes, which are shown once. */
export function RecoveryCodes({ codes, areReplaced = false, onDone }: RecoveryCodesProps) {
  const text = codes.join("\n")
  // They often take the place of a form. Not the button: another Enter would close what is shown only once.
  const list = useArrivalFocus<HTMLUListElement>()
  return (
    <Stack gap="md">
      <Text size="sm">
        Save these codes now. They are not shown again. If you lose your second factor, each of them lets you log in
        once.
        {areReplaced && " The codes that you had before no longer work."}
      </Text>
      <ul ref={list} className="recovery-codes" aria-label="Recovery codes" tabIndex={-1} data-autofocus>
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
        <Button onClick={onDone}>I have saved them</Button>
      </Group>
    </Stack>
  )
}
