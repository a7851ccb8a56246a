import type { ApiKey, KeyLeak } from "@envkeep/contract"
import { Button, Group, Text } from "@mantine/core"
import { copy } from "../../lib/clipboard.ts"
import { exactTime } from "../../lib/relative-time.ts"
import { CodeSample } from "../../ui/CodeSample.tsx"
import { counted, plural } from "../../ui/counts.ts"
import { Dialog } from "../../ui/Dialog.tsx"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { useArrivalFocus } from "../../ui/use-arrival-focus.ts"
import { KeyUsage } from "./KeyUsage.tsx"
import { OverlapField, useOverlap } from "./OverlapField.tsx"
import { useRollApiKey } from "./queries.ts"

interface RollDialogProps {
  leak: KeyLeak
  opened: boolean
  /** The new key, once there is one. */
  rolled: ApiKey | undefined
  onRolled: (rolled: ApiKey) => void
  onClose: () => void
}

/** Asks before a key ends that programs read with, and then shows the new key, once. */
export function RollDialog({ leak, opened, rolled, onRolled, onClose }: RollDialogProps) {
  if (rolled === undefined) {
    return (
      <Dialog opened={opened} onClose={onClose} title={`Roll ${leak.apiKey.name}?`}>
        <Question leak={leak} onRolled={onRolled} onClose={onClose} />
      </Dialog>
    )
  }
  return (
    // A stray click must not lose the new key.
    <Dialog opened={opened} onClose={onClose} title="Your new key" size="xl" closesOutside={false} fillsPhone>
      <NewKey apiKey={rolled} collectionId={leak.collectionId} onClose={onClose} />
    </Dialog>
  )
}

interface NewKeyProps {
  apiKey: ApiKey
  collectionId: number
  onClose: () => void
}

function NewKey({ apiKey, collectionId, onClose }: NewKeyProps) {
  // The button that was pressed is gone.
  const lead = useArrivalFocus<HTMLParagraphElement>()
  return (
    <>
      <Text ref={lead} tabIndex={-1} size="sm" mb="sm">
        Put it wherever the old one is used. This page does not show it again.
      </Text>
      <CodeSample title="the new key" language="text" code={apiKey.key ?? ""} onCopy={copy} />
      <KeyUsage apiKey={apiKey} collectionId={collectionId} />
      <Group justify="flex-end" mt="md">
        <Button onClick={onClose}>Done</Button>
      </Group>
    </>
  )
}

interface QuestionProps {
  leak: KeyLeak
  onRolled: (rolled: ApiKey) => void
  onClose: () => void
}

function Question({ leak, onRolled, onClose }: QuestionProps) {
  // While it leaks, every minute counts.
  const overlap = useOverlap("0")
  const roll = useRollApiKey(leak.collectionId)

  async function submit() {
    const done = await roll({ id: leak.apiKey.id, overlapMinutes: overlap.minutes })
    if (done !== undefined) onRolled(done.data)
  }
  return (
    <Form onSubmit={submit}>
      <Text size="sm" mb="sm" className="breaks-anywhere">
        {whoReads(leak)} A new key takes its name and settings.
      </Text>
      <Group align="flex-end" gap="sm">
        <OverlapField label="The old key" overlap={overlap} />
      </Group>
      <Text size="sm" c="dimmed" mt="sm">
        {overlap.minutes === 0
          ? "Programs that still use the old key get no values until you give them the new one."
          : "Until then, the old key reads new values too. Replace the values after it has stopped."}
      </Text>
      <Group justify="flex-end" mt="lg" gap="xs">
        <Button variant="default" onClick={onClose} data-autofocus>
          Cancel
        </Button>
        <SubmitButton>Roll</SubmitButton>
      </Group>
    </Form>
  )
}

function whoReads({ apiKey: { lastUsedAt, lastUsedBy }, networks }: KeyLeak): string {
  if (lastUsedAt === null) return "No program has read with it yet."
  // Those that do not say what they are count as one.
  const programs = new Set(networks.map(({ client }) => client)).size || 1
  const by = lastUsedBy === null ? "" : ` by ${lastUsedBy}`
  return `${counted(programs, "program")} ${plural(programs, "reads", "read")} with it, last${by} on ${exactTime(lastUsedAt)}.`
}
