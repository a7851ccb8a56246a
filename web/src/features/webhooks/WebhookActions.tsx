import type { Webhook } from "@envkeep/contract"
import { Button, Group, Menu } from "@mantine/core"
import {
  IconDots,
  IconKey,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconSend,
  IconTrash,
} from "@tabler/icons-react"
import { useRef } from "react"
import { DropMenu } from "../../ui/DropMenu.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { IconButton } from "../../ui/IconButton.tsx"
import { useOnce } from "../../ui/use-once.ts"
import { useSendTest, useUpdateWebhook } from "./queries.ts"

interface WebhookActionsProps {
  collectionId: number
  webhook: Webhook
  onOpen: (dialog: "edit" | "rotate" | "delete") => void
}

/** What can be done with a webhook. */
export function WebhookActions({ collectionId, webhook, onOpen }: WebhookActionsProps) {
  const { isEnabled } = webhook
  const one = { id: collectionId, webhookId: webhook.id }
  const more = useRef<HTMLButtonElement>(null)
  const update = useUpdateWebhook(collectionId)
  const test = useSendTest(collectionId)
  const [sendTest, isTesting] = useOnce(() => test(one))

  function open(which: "rotate" | "delete") {
    // The entry closes with the menu, so the dialog must return the focus to the button.
    more.current?.focus()
    onOpen(which)
  }

  return (
    <Group gap="xs">
      <Button
        variant="default"
        leftSection={<Icon shape={IconSend} />}
        disabled={!isEnabled}
        loading={isTesting}
        onClick={sendTest}
      >
        Send a test
      </Button>
      <Button variant="default" leftSection={<Icon shape={IconPencil} />} onClick={() => onOpen("edit")}>
        Edit
      </Button>
      <DropMenu
        width={220}
        button={
          <IconButton ref={more} label="Webhook menu">
            <Icon shape={IconDots} />
          </IconButton>
        }
      >
        <Menu.Item leftSection={<Icon shape={IconKey} />} onClick={() => open("rotate")}>
          Rotate the secret…
        </Menu.Item>
        <Menu.Item
          leftSection={<Icon shape={isEnabled ? IconPlayerPause : IconPlayerPlay} />}
          onClick={() => void update({ ...one, isEnabled: !isEnabled })}
        >
          {isEnabled ? "Disable" : "Enable"}
        </Menu.Item>
        <Menu.Item className="danger-item" leftSection={<Icon shape={IconTrash} />} onClick={() => open("delete")}>
          Delete…
        </Menu.Item>
      </DropMenu>
    </Group>
  )
}
