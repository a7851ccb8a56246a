import type { AccountSummary } from "@envkeep/contract"
import { Menu } from "@mantine/core"
import {
  IconBan,
  IconCircleCheck,
  IconDeviceMobileOff,
  IconDots,
  IconLink,
  IconLogout,
  IconShield,
  IconShieldOff,
} from "@tabler/icons-react"
import { useRef, useState } from "react"
import { useUser } from "../../lib/state.ts"
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx"
import { DropMenu } from "../../ui/DropMenu.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { IconButton } from "../../ui/IconButton.tsx"
import { useLast } from "../../ui/use-last.ts"
import { AccountLinkDialog, type LinkKind } from "./AccountLinkDialog.tsx"
import { type AccountChange, useChangeAccount } from "./queries.ts"

type Asked = Exclude<AccountChange, "enable">

/** The menu of an account, and what it asks before it does something. */
export function AccountActions({ account }: { account: AccountSummary }) {
  const { username, isAdmin, isDisabled } = account
  const isOwn = useUser()?.id === account.id
  const [asked, setAsked] = useState<Asked | LinkKind>()
  const more = useRef<HTMLButtonElement>(null)
  const enable = useChangeAccount("enable")
  const close = () => setAsked(undefined)

  function choose(change: Asked | LinkKind) {
    // The chosen entry closes with the menu, so the dialog must return the focus to the button.
    more.current?.focus()
    setAsked(change)
  }
  return (
    <>
      <DropMenu
        button={
          <IconButton ref={more} label={`Actions for ${username}`}>
            <Icon shape={IconDots} />
          </IconButton>
        }
        width={240}
      >
        <Menu.Item leftSection={<Icon shape={IconLink} />} onClick={() => choose("reset")}>
          Create reset link
        </Menu.Item>
        <Menu.Item leftSection={<Icon shape={IconDeviceMobileOff} />} onClick={() => choose("factor")}>
          Lost second factor
        </Menu.Item>
        <Menu.Item leftSection={<Icon shape={IconLogout} />} onClick={() => choose("endSessions")}>
          End sessions
        </Menu.Item>
        {isAdmin ? (
          <Menu.Item leftSection={<Icon shape={IconShieldOff} />} onClick={() => choose("revokeAdmin")}>
            Revoke admin
          </Menu.Item>
        ) : (
          <Menu.Item leftSection={<Icon shape={IconShield} />} onClick={() => choose("grantAdmin")}>
            Make admin
          </Menu.Item>
        )}
        {isDisabled && (
          <Menu.Item leftSection={<Icon shape={IconCircleCheck} />} onClick={() => enable({ id: account.id })}>
            Enable account
          </Menu.Item>
        )}
        {!isDisabled && !isOwn && (
          <Menu.Item className="danger-item" leftSection={<Icon shape={IconBan} />} onClick={() => choose("disable")}>
            Disable account
          </Menu.Item>
        )}
      </DropMenu>
      <ConfirmChange account={account} isOwn={isOwn} change={isLink(asked) ? undefined : asked} onClose={close} />
      <AccountLinkDialog opened={asked === "reset"} kind="reset" account={account} onClose={close} />
      <AccountLinkDialog opened={asked === "factor"} kind="factor" account={account} onClose={close} />
    </>
  )
}

function isLink(asked: Asked | LinkKind | undefined): asked is LinkKind {
  return asked === "reset" || asked === "factor"
}

interface Question {
  title: (username: string) => string
  text: (username: string, isOwn: boolean) => string
  confirm: string
}

const questions: Record<Asked, Question> = {
  endSessions: {
    title: (username) => `End the sessions of ${username}?`,
    text: (username, isOwn) =>
      isOwn
        ? "You are logged out in all other browsers. This session stays."
        : `${username} is logged out in all browsers and can log in again. API keys keep working.`,
    confirm: "End sessions",
  },
  grantAdmin: {
    title: (username) => `Make ${username} an administrator?`,
    text: (username) =>
      `${username} will see this admin area and can disable accounts, create reset links and make others administrators.`,
    confirm: "Make admin",
  },
  revokeAdmin: {
    title: (username) => `Revoke the admin rights of ${username}?`,
    text: (username, isOwn) =>
      isOwn
        ? "This is your own account. You lose access to the admin area at once, and another administrator has to give it back."
        : `${username} loses access to the admin area at once. The account itself stays as it is.`,
    confirm: "Revoke admin",
  },
  disable: {
    title: (username) => `Disable ${username}?`,
    text: (username) =>
      `All sessions and personal tokens of ${username} stop working, and logging in is refused. API keys stop working in the collections that only ${username} has access to; keys of collections that are shared with others go on. Nothing is deleted, and you can enable the account again.`,
    confirm: "Disable account",
  },
}

interface ConfirmChangeProps {
  account: AccountSummary
  isOwn: boolean
  /** What is asked about; undefined if nothing is. */
  change: Asked | undefined
  onClose: () => void
}

function ConfirmChange({ account: { id, username }, isOwn, change, onClose }: ConfirmChangeProps) {
  const shown = useLast(change) ?? "endSessions"
  const write = useChangeAccount(shown)
  const { title, text, confirm } = questions[shown]

  async function run() {
    await write({ id })
    onClose()
  }
  return (
    <ConfirmDialog
      opened={change !== undefined}
      title={title(username)}
      confirm={confirm}
      onConfirm={run}
      onClose={onClose}
    >
      {text(username, isOwn)}
    </ConfirmDialog>
  )
}
