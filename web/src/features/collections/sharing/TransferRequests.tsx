import type { TransferRequest } from "@envkeep/contract"
import { Button, Group, Text } from "@mantine/core"
import { useDisclosure } from "@mantine/hooks"
import { sizeInWords } from "../../../lib/size.ts"
import { ConfirmDialog } from "../../../ui/ConfirmDialog.tsx"
import { useOnce } from "../../../ui/use-once.ts"
import { useEndTransfer, useTakeOver } from "./queries.ts"
import "./sharing.css"

/** What owners ask the user to pay for. Nothing changes unless the user accepts. */
export function TransferRequests({ requests }: { requests: readonly TransferRequest[] }) {
  return (
    <ul className="card transfer-requests lined" aria-label="Collections to take over">
      {requests.map((request) => (
        <li key={request.collectionId}>
          <Request request={request} />
        </li>
      ))}
    </ul>
  )
}

function Request({ request: { collectionId, name, askedBy, bytes } }: { request: TransferRequest }) {
  const [accepting, ask] = useDisclosure(false)
  const takeOver = useTakeOver(collectionId)
  const end = useEndTransfer(collectionId)
  const [refuse, refusing] = useOnce(() => end({ id: collectionId }))

  async function accept() {
    await takeOver({ id: collectionId })
    ask.close()
  }
  return (
    <div className="ownership">
      <div>
        <Text fw={600} className="breaks-anywhere">
          {askedBy} asks you to take over {name}
        </Text>
        <Text size="sm" c="dimmed">
          You would own it, and the {sizeInWords(bytes)} that it stores would count for your account.
        </Text>
      </div>
      <Group gap="xs" wrap="nowrap" className="ownership__buttons">
        <Button variant="default" loading={refusing} onClick={refuse}>
          Refuse
        </Button>
        <Button onClick={ask.open}>Accept…</Button>
      </Group>
      <ConfirmDialog
        opened={accepting}
        title="Take over this collection?"
        confirm="Take over"
        isHarmless
        onConfirm={accept}
        onClose={ask.close}
      >
        You become an owner of <strong>{name}</strong>, and what its members store in it counts for your account from
        now on. <strong>{askedBy}</strong> stays as a maintainer.
      </ConfirmDialog>
    </div>
  )
}
