import type { AccountSummary } from "@envkeep/contract"
import { Button, Group, Text, TextInput } from "@mantine/core"
import { IconCopy } from "@tabler/icons-react"
import { useState } from "react"
import { copy } from "../../lib/clipboard.ts"
import { exactTime } from "../../lib/relative-time.ts"
import { Dialog } from "../../ui/Dialog.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { useOnce } from "../../ui/use-once.ts"
import { useCreateResetLink } from "./queries.ts"

interface ResetLinkDialogProps {
  opened: boolean
  account: AccountSummary
  onClose: () => void
}

export function ResetLinkDialog({ opened, account, onClose }: ResetLinkDialogProps) {
  const [link, setLink] = useState<ResetLink>()

  function close() {
    setLink(undefined)
    onClose()
  }
  return (
    <Dialog
      opened={opened}
      title={link === undefined ? `Create a reset link for ${account.username}?` : `Reset link for ${account.username}`}
      centered
      inFront
      // A click beside it must not lose a link that is shown only once.
      closesOutside={link === undefined}
      onClose={close}
    >
      {link === undefined ? (
        <Ask account={account} onCreated={setLink} onClose={close} />
      ) : (
        <Created link={link} isDisabled={account.isDisabled} onClose={close} />
      )}
    </Dialog>
  )
}

interface ResetLink {
  url: string
  expiresAt: string
}

interface AskProps {
  account: AccountSummary
  onCreated: (link: ResetLink) => void
  onClose: () => void
}

function Ask({ account: { id, username }, onCreated, onClose }: AskProps) {
  const create = useCreateResetLink()
  const [run, pending] = useOnce(async () => {
    const created = await create({ id })
    if (created === undefined) return
    const { token, expiresAt } = created.data
    // The token is in the fragment, which browsers do not send to servers.
    onCreated({ url: `${window.location.origin}/reset#${token}`, expiresAt })
  })
  return (
    <>
      <Text size="sm" c="dimmed" className="breaks-anywhere">
        With the link, {username} can set a new password once, within 24 hours. An earlier link stops working. The
        current password works until then.
      </Text>
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={onClose} data-autofocus>
          Cancel
        </Button>
        <Button loading={pending} onClick={run}>
          Create link
        </Button>
      </Group>
    </>
  )
}

interface CreatedProps {
  link: ResetLink
  isDisabled: boolean
  onClose: () => void
}

function Created({ link: { url, expiresAt }, isDisabled, onClose }: CreatedProps) {
  return (
    <>
      <Text size="sm" c="dimmed" mb="md">
        Copy it now: it is shown only once. It works once, until {exactTime(expiresAt)}. Anyone who has it can set the
        password, so send it to that person only.
        {isDisabled && " The account is disabled: enable it, so that they can log in."}
      </Text>
      <TextInput
        label="Reset link"
        value={url}
        readOnly
        classNames={{ input: "reset-link" }}
        onFocus={({ currentTarget }) => currentTarget.select()}
      />
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={onClose}>
          Done
        </Button>
        <Button leftSection={<Icon shape={IconCopy} />} onClick={() => copy(url)}>
          Copy
        </Button>
      </Group>
    </>
  )
}
