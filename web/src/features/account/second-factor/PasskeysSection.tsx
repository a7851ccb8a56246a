import { passkeys as calls, type Passkey } from "@envkeep/contract"
import { Button, Group, Text, Title } from "@mantine/core"
import { useDisclosure } from "@mantine/hooks"
import { IconPlus } from "@tabler/icons-react"
import { useRef, useState } from "react"
import { useCallForm } from "../../../lib/call-form.ts"
import { passkeysMissing } from "../../../lib/passkeys.ts"
import { exactDay, relativeTime } from "../../../lib/relative-time.ts"
import { ConfirmDialog } from "../../../ui/ConfirmDialog.tsx"
import { Icon } from "../../../ui/Icon.tsx"
import { LoadFailed } from "../../../ui/LoadFailed.tsx"
import { NameForm } from "../../../ui/NameForm.tsx"
import { Spinner } from "../../../ui/Spinner.tsx"
import { useRefocus } from "../../../ui/use-refocus.ts"
import { AddPasskeyDialog } from "./AddPasskeyDialog.tsx"
import { LastFactorNote } from "./LastFactorNote.tsx"
import { usePasskeys, useRemovePasskey, useRenamePasskey } from "./passkey-queries.ts"
import { useSecondFactors } from "./queries.ts"
import "./second-factor.css"

export function PasskeysSection() {
  const { data, error, refetch } = usePasskeys()
  const [adding, add] = useDisclosure(false)
  const heading = useRef<HTMLHeadingElement>(null)
  const missing = passkeysMissing()
  return (
    <section className="card profile-section">
      <div>
        <Title order={2} ref={heading} tabIndex={-1}>
          Passkeys
        </Title>
        <Text size="sm" c="dimmed" mt={4}>
          Log in with your fingerprint, your face or a PIN, without a password. Add one on each device, or one that your
          password manager syncs.
        </Text>
      </div>
      <div>
        {data === undefined && error === null && <Spinner />}
        {data === undefined && error !== null && (
          <LoadFailed title="The passkeys could not be loaded" message={error.message} onRetry={refetch} />
        )}
        {data?.length === 0 && (
          <Text size="sm" c="dimmed">
            No passkeys
          </Text>
        )}
        {data !== undefined && data.length > 0 && (
          <PasskeyList passkeys={data} onRemoved={() => heading.current?.focus()} />
        )}
        {missing === undefined ? (
          <Button variant="default" mt="md" leftSection={<Icon shape={IconPlus} />} onClick={add.open}>
            Add a passkey
          </Button>
        ) : (
          <Text size="sm" mt="md">
            {missing}.
          </Text>
        )}
        <AddPasskeyDialog opened={adding} onClose={add.close} />
      </div>
    </section>
  )
}

function PasskeyList({ passkeys, onRemoved }: { passkeys: Passkey[]; onRemoved: () => void }) {
  const [asked, setAsked] = useState<Passkey>()
  const [asking, ask] = useDisclosure(false)
  const remove = useRemovePasskey()
  const { data: factors } = useSecondFactors()
  const isLast = factors?.totp === false && passkeys.every(({ id }) => id === asked?.id)

  async function confirm() {
    if (asked === undefined) return
    const done = await remove({ id: asked.id })
    ask.close()
    if (done !== undefined) onRemoved()
  }
  return (
    <>
      <ul className="profile-list lined" aria-label="Passkeys">
        {passkeys.map((passkey) => (
          <PasskeyRow
            key={passkey.id}
            passkey={passkey}
            onRemove={() => {
              setAsked(passkey)
              ask.open()
            }}
          />
        ))}
      </ul>
      <ConfirmDialog
        opened={asking}
        title="Remove this passkey?"
        confirm="Remove"
        onConfirm={confirm}
        onClose={ask.close}
      >
        <strong>{asked?.name}</strong> can no longer log in. Your device or password manager may go on offering it:
        delete it there too. {factors !== undefined && isLast && <LastFactorNote isRequired={factors.isRequired} />}
      </ConfirmDialog>
    </>
  )
}

function PasskeyRow({ passkey, onRemove }: { passkey: Passkey; onRemove: () => void }) {
  const { name, isSynced, host, createdAt, lastUsedAt } = passkey
  const [renaming, rename] = useDisclosure(false)
  const renameButton = useRefocus(renaming)
  if (renaming) {
    return (
      <li className="profile-list__row passkey-row" aria-label={name}>
        <RenameForm passkey={passkey} onClose={rename.close} />
      </li>
    )
  }
  return (
    <li className="profile-list__row passkey-row" aria-label={name}>
      <div className="profile-list__text">
        <span className="profile-list__name breaks-anywhere">
          {name}
          <span className="chip">{isSynced ? "Synced" : "One device"}</span>
        </span>
        <Text size="sm" c="dimmed" className="breaks-anywhere">
          Added <time dateTime={createdAt}>{exactDay(createdAt)}</time>
        </Text>
        <Text size="sm" c="dimmed" className="breaks-anywhere">
          {lastUsedAt === null ? "Never used" : <time dateTime={lastUsedAt}>Last used {relativeTime(lastUsedAt)}</time>}
        </Text>
        {host !== location.hostname && (
          <Text size="sm" className="breaks-anywhere">
            Works at {host} only
          </Text>
        )}
      </div>
      <Group gap="xs" justify="flex-end">
        <Button
          ref={renameButton}
          variant="default"
          size="xs"
          aria-label={`Rename the passkey ${name}`}
          onClick={rename.open}
        >
          Rename
        </Button>
        <Button
          variant="default"
          size="xs"
          className="danger-button"
          aria-label={`Remove the passkey ${name}`}
          onClick={onRemove}
        >
          Remove
        </Button>
      </Group>
    </li>
  )
}

function RenameForm({ passkey: { id, name }, onClose }: { passkey: Passkey; onClose: () => void }) {
  const form = useCallForm(calls.rename, { id, name }, { live: true })
  const rename = useRenamePasskey()
  return (
    <NameForm
      name={name}
      field={form.field("name")}
      save={() => form.send(rename)}
      onSaved={onClose}
      onCancel={onClose}
    />
  )
}
