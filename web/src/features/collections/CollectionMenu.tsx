import { allows, type Collection, collections, limits } from "@envkeep/contract"
import { Button, Group, Menu, Stack, Text, TextInput } from "@mantine/core"
import { useDisclosure } from "@mantine/hooks"
import { IconCopy, IconDots, IconWebhook } from "@tabler/icons-react"
import { useRef } from "react"
import { Link, useNavigate } from "react-router"
import { useCallForm } from "../../lib/call-form.ts"
import { notify } from "../../lib/notify.ts"
import { InlineChoices, titled } from "../../ui/Choices.tsx"
import { counted } from "../../ui/counts.ts"
import { Dialog } from "../../ui/Dialog.tsx"
import { DropMenu } from "../../ui/DropMenu.tsx"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { IconButton } from "../../ui/IconButton.tsx"
import { leftOut } from "../copy/words.ts"
import { useDuplicateCollection } from "./queries.ts"

/** A menu with what is done with a collection as a whole. */
export function CollectionMenu({ collection }: { collection: Collection }) {
  const [opened, dialog] = useDisclosure(false)
  const more = useRef<HTMLButtonElement>(null)
  function open() {
    // The entry closes with the menu, so the dialog must return the focus to the button.
    more.current?.focus()
    dialog.open()
  }
  return (
    <>
      <DropMenu
        button={
          <IconButton ref={more} label="Collection menu">
            <Icon shape={IconDots} />
          </IconButton>
        }
        width={200}
      >
        {allows(collection.role, "maintainer") && (
          <Menu.Item
            component={Link}
            to={`/collection/${collection.id}/webhooks`}
            leftSection={<Icon shape={IconWebhook} />}
          >
            Webhooks
          </Menu.Item>
        )}
        <Menu.Item leftSection={<Icon shape={IconCopy} />} onClick={open}>
          Duplicate…
        </Menu.Item>
      </DropMenu>
      <Dialog opened={opened} onClose={dialog.close} title="Duplicate this collection" closesOutside={false}>
        <DuplicateForm collection={collection} onClose={dialog.close} />
      </Dialog>
    </>
  )
}

const choices = [
  { value: "values", label: titled("With values", "everything that you can see") },
  { value: "names", label: titled("Names only", "all values are empty") },
] as const

function DuplicateForm({ collection, onClose }: { collection: Collection; onClose: () => void }) {
  const { id } = collection
  const form = useCallForm(collections.duplicate, { id, name: copyName(collection.name), what: "values" })
  const duplicate = useDuplicateCollection()
  const navigate = useNavigate()
  const hasHidden = collection.subCollections.some(({ valuesHidden }) => valuesHidden)

  async function submit() {
    const done = await form.send(duplicate)
    if (done === undefined) return
    const { damaged, hidden } = done.data
    if (damaged > 0) notify.warning(leftOut(damaged))
    if (hidden > 0) notify.warning(withoutValue(hidden))
    onClose()
    await navigate(`/collection/${done.data.id}`)
  }
  return (
    <Form label="Duplicate collection" onSubmit={submit}>
      <Stack gap="md">
        <TextInput label="Name of the copy" autoComplete="off" data-autofocus {...form.field("name")} />
        <InlineChoices
          className="duplicate-choices"
          legend="What to copy"
          name="what"
          options={choices}
          chosen={form.values.what}
          onChoose={form.field("what").onChange}
        />
        <Text size="sm" c="dimmed">
          The copy has the same environments, what they inherit, their protection and the descriptions of names. API
          keys, members and history are not copied. You own the copy.
          {hasHidden && " Of environments whose values you cannot see, it has the names."}
        </Text>
      </Stack>
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <SubmitButton>Duplicate</SubmitButton>
      </Group>
    </Form>
  )
}

/** No longer than a name can be. */
function copyName(name: string): string {
  const suffix = " copy"
  return [...name].slice(0, limits.name - suffix.length).join("") + suffix
}

function withoutValue(count: number): string {
  return `${counted(count, "item has", "items have")} no value in the copy, because you cannot see it`
}
