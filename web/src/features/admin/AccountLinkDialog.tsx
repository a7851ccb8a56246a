import type { AccountSummary } from "@envkeep/contract"
import { Button, Group, Text, TextInput } from "@mantine/core"
import { IconCopy } from "@tabler/icons-react"
import { useState } from "react"
import { copy } from "../../lib/clipboard.ts"
import { exactTime } from "../../lib/relative-time.ts"
import { Dialog } from "../../ui/Dialog.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { useOnce } from "../../ui/use-once.ts"
import { useCreateFactorLink, useCreateResetLink } from "./queries.ts"

/** What a link is for. */
export type LinkKind = "reset" | "factor"

interface LinkWords {
  /** Where it leads. */
  path: string
  ask: (username: string) => string
  created: (username: string) => string
  label: string
  lead: (username: string) => string
  warning: string
}

const words: Record<LinkKind, LinkWords> = {
  reset: {
    path: "/reset",
    ask: (username) => `Create a reset link for ${username}?`,
    created: (username) => `Reset link for ${username}`,
    label: "Reset link",
    lead: (username) =>
      `With the link, ${username} can set a new password once, within 24 hours. An earlier link stops working. The current password works until then.`,
    warning: "Anyone who has it can set the password, so send it to that person only.",
  },
  factor: {
    path: "/lost-factor",
    ask: (username) => `Let ${username} log in without the second factor?`,
    created: (username) => `Link for ${username}`,
    label: "Link",
    lead: (username) =>
      `With the link and the password, or a sign-in at a connected provider, ${username} can log in once, within 24 hours. That removes all second factors of the account. Make sure that it is ${username} who asks.`,
    warning: "It is worth nothing by itself, but send it to that person only.",
  },
}

interface AccountLinkDialogProps {
  opened: boolean
  kind: LinkKind
  account: AccountSummary
  onClose: () => void
}

export function AccountLinkDialog({ opened, kind, account, onClose }: AccountLinkDialogProps) {
  const [link, setLink] = useState<AccountLink>()
  const { ask, created } = words[kind]

  function close() {
    setLink(undefined)
    onClose()
  }
  return (
    <Dialog
      opened={opened}
      title={link === undefined ? ask(account.username) : created(account.username)}
      centered
      inFront
      // A click beside it must not lose a link that is shown only once.
      closesOutside={link === undefined}
      onClose={close}
    >
      {link === undefined ? (
        <Ask kind={kind} account={account} onCreated={setLink} onClose={close} />
      ) : (
        <Created kind={kind} link={link} isDisabled={account.isDisabled} onClose={close} />
      )}
    </Dialog>
  )
}

interface AccountLink {
  url: string
  expiresAt: string
}

interface AskProps {
  kind: LinkKind
  account: AccountSummary
  onCreated: (link: AccountLink) => void
  onClose: () => void
}

function Ask({ kind, account: { id, username }, onCreated, onClose }: AskProps) {
  const creators = { reset: useCreateResetLink(), factor: useCreateFactorLink() }
  const create = creators[kind]
  const { path, lead } = words[kind]
  const [run, pending] = useOnce(async () => {
    const created = await create({ id })
    if (created === undefined) return
    const { token, expiresAt } = created.data
    // The token is in the fragment, which browsers do not send to servers.
    onCreated({ url: `${window.location.origin}${path}#${token}`, expiresAt })
  })
  return (
    <>
      <Text size="sm" c="dimmed" className="breaks-anywhere">
        {lead(username)}
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
  kind: LinkKind
  link: AccountLink
  isDisabled: boolean
  onClose: () => void
}

function Created({ kind, link: { url, expiresAt }, isDisabled, onClose }: CreatedProps) {
  const { label, warning } = words[kind]
  return (
    <>
      <Text size="sm" c="dimmed" mb="md">
        Copy it now: it is shown only once. It works once, until {exactTime(expiresAt)}. {warning}
        {isDisabled && " The account is disabled: enable it, so that they can log in."}
      </Text>
      <TextInput
        label={label}
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
