import { type AccountDeletion, users } from "@envkeep/contract"
import { Anchor, Button, Group, Stack, Text, Title } from "@mantine/core"
import { useState } from "react"
import { Link } from "react-router"
import { useCallForm } from "../../lib/call-form.ts"
import { AccountHint } from "../../ui/AccountHint.tsx"
import { counted } from "../../ui/counts.ts"
import { Dialog } from "../../ui/Dialog.tsx"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { LoadFailed } from "../../ui/LoadFailed.tsx"
import { PasswordField } from "../../ui/PasswordField.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { useDeleteAccount, useDeleteAccountConfirmed, useDeletion, useIdentities } from "./queries.ts"

export function DeletionSection({ email }: { email: string }) {
  const [opened, setOpened] = useState(false)
  const close = () => setOpened(false)
  return (
    <section className="card profile-section">
      <div>
        <Title order={2}>Delete account</Title>
        <Text size="sm" c="dimmed" mt={4}>
          Your name stays in the history and the activity of what you changed.
        </Text>
      </div>
      <div>
        <Button variant="default" className="danger-button" onClick={() => setOpened(true)}>
          Delete account
        </Button>
        <Dialog opened={opened} onClose={close} title="Delete your account?" centered>
          <Deletion email={email} onClose={close} />
        </Dialog>
      </div>
    </section>
  )
}

function Deletion({ email, onClose }: { email: string; onClose: () => void }) {
  const { data, error, refetch } = useDeletion()
  if (data === undefined && error !== null) {
    return <LoadFailed title="Your collections could not be loaded" message={error.message} onRetry={refetch} />
  }
  if (data === undefined) return <Spinner />
  return data.isLastAdmin || data.ownedAlone > 0 ? (
    <InTheWay deletion={data} onClose={onClose} />
  ) : (
    <DeleteForm email={email} trashedCount={data.trashedCount} onClose={onClose} />
  )
}

function InTheWay({ deletion, onClose }: { deletion: AccountDeletion; onClose: () => void }) {
  const { collections, ownedAlone, isLastAdmin } = deletion
  const more = ownedAlone - collections.length
  return (
    <Stack gap="md">
      {isLastAdmin && (
        <Text size="sm">You are the last administrator. Make another account an administrator first.</Text>
      )}
      {ownedAlone > 0 && (
        <>
          <Text size="sm">
            {ownedAlone === 1
              ? "Your account pays for this collection. Delete it first, or let another member take it over on its Sharing page."
              : "Your account pays for these collections. Delete them first, or let other members take them over on their Sharing pages."}
          </Text>
          <ul className="profile-list profile-list--short lined" aria-label="Collections that your account pays for">
            {collections.map(({ id, name, environmentCount, itemCount }) => (
              <li key={id} className="profile-list__row">
                <div className="profile-list__text">
                  <Anchor component={Link} to={`/collection/${id}`} className="breaks-anywhere">
                    {name}
                  </Anchor>
                  <Text size="sm" c="dimmed">
                    {counted(environmentCount, "environment")}, {counted(itemCount, "item")}
                  </Text>
                </div>
              </li>
            ))}
          </ul>
          {more > 0 && <Text size="sm">and {counted(more, "more collection")}</Text>}
        </>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose} data-autofocus>
          Close
        </Button>
      </Group>
    </Stack>
  )
}

interface DeleteFormProps {
  email: string
  trashedCount: number
  onClose: () => void
}

function DeleteForm(props: DeleteFormProps) {
  return useIdentities().data?.hasPassword === false ? <DeleteConfirmed {...props} /> : <DeleteByPassword {...props} />
}

/** For an account without a password: the server asks to confirm in another way, if the login was a while ago. */
function DeleteConfirmed({ trashedCount, onClose }: DeleteFormProps) {
  const deleteAccount = useDeleteAccountConfirmed()
  return (
    <Form onSubmit={() => deleteAccount({})}>
      <WhatEnds trashedCount={trashedCount} />
      <DeleteButtons onClose={onClose} />
    </Form>
  )
}

function DeleteByPassword({ email, trashedCount, onClose }: DeleteFormProps) {
  const form = useCallForm(users.deleteAccount, { password: "" })
  const deleteAccount = useDeleteAccount()
  return (
    <Form onSubmit={() => form.send(deleteAccount)}>
      <WhatEnds trashedCount={trashedCount} />
      <AccountHint email={email} />
      <PasswordField label="Password" autoComplete="current-password" {...form.field("password")} />
      <DeleteButtons onClose={onClose} />
    </Form>
  )
}

function WhatEnds({ trashedCount }: Pick<DeleteFormProps, "trashedCount">) {
  return (
    <Text size="sm" c="dimmed" mb="md">
      Your sessions end, and your tokens stop working.
      {trashedCount > 0 && ` What is in your trash is deleted too: ${counted(trashedCount, "collection")}.`} This cannot
      be undone.
    </Text>
  )
}

function DeleteButtons({ onClose }: Pick<DeleteFormProps, "onClose">) {
  return (
    <Group justify="flex-end" gap="xs" mt="lg">
      <Button variant="default" onClick={onClose}>
        Cancel
      </Button>
      <SubmitButton color="red">Delete account</SubmitButton>
    </Group>
  )
}
