import { allows, type Collection, type CollectionMember } from "@envkeep/contract"
import { Button, Group, NativeSelect, Text } from "@mantine/core"
import { useDisclosure } from "@mantine/hooks"
import { useState } from "react"
import { useNavigate } from "react-router"
import { useUser } from "../../../lib/state.ts"
import { ConfirmDialog } from "../../../ui/ConfirmDialog.tsx"
import { Dialog } from "../../../ui/Dialog.tsx"
import { Form, SubmitButton } from "../../../ui/Form.tsx"
import { Section } from "../../../ui/Section.tsx"
import { useLeave, useTransfer } from "./queries.ts"

interface OwnershipSectionProps {
  collection: Collection
  people: CollectionMember[]
}

/** Giving the collection away, and leaving it. There is nothing to do for a user who is alone. */
export function OwnershipSection({ collection, people }: OwnershipSectionProps) {
  const me = useUser()?.id
  const others = people.filter(({ userId }) => userId !== me)
  const own = people.find(({ userId }) => userId === me)
  const isLastOwner = own?.role === "owner" && !others.some(({ role }) => role === "owner")
  const canTransfer = allows(collection.role, "owner") && others.length > 0
  const canLeave = own !== undefined && !isLastOwner
  if (!canTransfer && !canLeave) return null
  return (
    <Section title={canTransfer ? "Ownership" : "Membership"}>
      {canTransfer && <Transfer collection={collection} others={others} />}
      {canLeave && <Leave collection={collection} />}
    </Section>
  )
}

function Transfer({ collection, others }: { collection: Collection; others: CollectionMember[] }) {
  const [opened, dialog] = useDisclosure(false)
  return (
    <div className="ownership">
      <div>
        <Text fw={600}>Transfer the collection</Text>
        <Text size="sm" c="dimmed">
          Another member becomes its owner, and pays for what it stores. You stay as a maintainer.
        </Text>
      </div>
      <Button variant="default" onClick={dialog.open}>
        Transfer…
      </Button>
      <Dialog opened={opened} onClose={dialog.close} title="Transfer this collection?" centered>
        <TransferForm collection={collection} others={others} onClose={dialog.close} />
      </Dialog>
    </div>
  )
}

interface TransferFormProps {
  collection: Collection
  others: CollectionMember[]
  onClose: () => void
}

function TransferForm({ collection: { id, name }, others, onClose }: TransferFormProps) {
  const [userId, setUserId] = useState(others[0]?.userId ?? 0)
  const transfer = useTransfer(id)
  const next = others.find((one) => one.userId === userId)

  async function submit() {
    await transfer({ id, userId })
    onClose()
  }
  return (
    <Form onSubmit={submit}>
      <NativeSelect
        label="New owner"
        data={others.map((one) => ({ value: String(one.userId), label: `${one.username} (${one.email})` }))}
        value={String(userId)}
        onChange={(event) => setUserId(Number(event.currentTarget.value))}
        data-autofocus
      />
      <Text size="sm" c="dimmed" mt="md" className="breaks-anywhere">
        <strong>{next?.username}</strong> becomes an owner of <strong>{name}</strong>, and what it stores counts for
        their account from now on. You become a maintainer: you cannot delete the collection or take it back.
      </Text>
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <SubmitButton color="red">Transfer</SubmitButton>
      </Group>
    </Form>
  )
}

function Leave({ collection: { id, name } }: { collection: Collection }) {
  const [asking, ask] = useDisclosure(false)
  const leave = useLeave(id)
  const navigate = useNavigate()

  async function confirm() {
    const done = await leave({ id })
    ask.close()
    if (done !== undefined) await navigate("/collection/dashboard")
  }
  return (
    <div className="ownership">
      <div>
        <Text fw={600}>Leave the collection</Text>
        <Text size="sm" c="dimmed">
          Your own role ends. What a team gives you stays.
        </Text>
      </div>
      <Button variant="default" className="danger-button" onClick={ask.open}>
        Leave
      </Button>
      <ConfirmDialog
        opened={asking}
        title="Leave this collection?"
        confirm="Leave"
        onConfirm={confirm}
        onClose={ask.close}
      >
        You lose access to <strong>{name}</strong>, unless a team gives it. To come back, a maintainer or an owner has
        to add you again.
      </ConfirmDialog>
    </div>
  )
}
