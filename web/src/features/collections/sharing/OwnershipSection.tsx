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
import { useOnce } from "../../../ui/use-once.ts"
import { useEndTransfer, useLeave, useRequestTransfer, useTakeOver } from "./queries.ts"

interface OwnershipSectionProps {
  collection: Collection
  people: CollectionMember[]
}

/** Giving the collection away, taking it over, and leaving it. There is nothing to do for a user who is alone. */
export function OwnershipSection({ collection, people }: OwnershipSectionProps) {
  const me = useUser()?.id
  const own = people.find(({ userId }) => userId === me)
  const others = people.filter(({ userId, isPayer }) => userId !== me && !isPayer)
  const asked = people.find(({ isAskedToPay }) => isAskedToPay)
  const isOwner = allows(collection.role, "owner")
  const canTransfer = isOwner && others.length > 0
  const canTakeOver = own?.role === "owner" && !own.isPayer && !own.isAskedToPay
  const canLeave = own !== undefined && !own.isPayer
  if (!canTransfer && !canTakeOver && !canLeave) return null
  return (
    <Section title={isOwner ? "Ownership" : "Membership"}>
      {isOwner && asked !== undefined && asked.userId !== me && <Asked collection={collection} asked={asked} />}
      {canTransfer && asked === undefined && <Transfer collection={collection} others={others} />}
      {canTakeOver && <TakeOver collection={collection} />}
      {canLeave && <Leave collection={collection} />}
    </Section>
  )
}

function Asked({ collection: { id }, asked }: { collection: Collection; asked: CollectionMember }) {
  const end = useEndTransfer(id)
  const [withdraw, pending] = useOnce(() => end({ id }))
  return (
    <div className="ownership">
      <div>
        <Text fw={600} className="breaks-anywhere">
          {asked.username} is asked to take the collection over
        </Text>
        <Text size="sm" c="dimmed">
          They see the request on their dashboard. Nothing changes until they accept.
        </Text>
      </div>
      <Button variant="default" loading={pending} onClick={withdraw}>
        Withdraw
      </Button>
    </div>
  )
}

function TakeOver({ collection: { id, name } }: { collection: Collection }) {
  const [asking, ask] = useDisclosure(false)
  const takeOver = useTakeOver(id)

  async function confirm() {
    await takeOver({ id })
    ask.close()
  }
  return (
    <div className="ownership">
      <div>
        <Text fw={600}>Take over the collection</Text>
        <Text size="sm" c="dimmed">
          Another owner pays for what it stores. If you do, they can leave.
        </Text>
      </div>
      <Button variant="default" onClick={ask.open}>
        Take over…
      </Button>
      <ConfirmDialog
        opened={asking}
        title="Take over this collection?"
        confirm="Take over"
        isHarmless
        onConfirm={confirm}
        onClose={ask.close}
      >
        What the members of <strong>{name}</strong> store in it counts for your account from now on.
      </ConfirmDialog>
    </div>
  )
}

function Transfer({ collection, others }: { collection: Collection; others: CollectionMember[] }) {
  const [opened, dialog] = useDisclosure(false)
  return (
    <div className="ownership">
      <div>
        <Text fw={600}>Transfer the collection</Text>
        <Text size="sm" c="dimmed">
          Ask another member to own it and to pay for what it stores. If they accept, you stay as a maintainer.
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
  const transfer = useRequestTransfer(id)
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
        If <strong>{next?.username}</strong> accepts, they own <strong>{name}</strong>, and what it stores counts for
        their account. You become a maintainer then: you cannot delete the collection or take it back.
      </Text>
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <SubmitButton>Send request</SubmitButton>
      </Group>
    </Form>
  )
}

function Leave({ collection: { id, name } }: { collection: Collection }) {
  const [asking, ask] = useDisclosure(false)
  const leave = useLeave(id)
  const navigate = useNavigate()

  async function confirm() {
    const done = await leave()
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
