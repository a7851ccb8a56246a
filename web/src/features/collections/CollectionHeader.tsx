import { type Collection, collections } from "@envkeep/contract"
import { Button, Group, Text, Title, VisuallyHidden } from "@mantine/core"
import { useDisclosure } from "@mantine/hooks"
import { IconPencil, IconTrash } from "@tabler/icons-react"
import { useNavigate } from "react-router"
import { useCallForm } from "../../lib/call-form.ts"
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { NameForm } from "../../ui/NameForm.tsx"
import { useRefocus } from "../../ui/use-refocus.ts"
import { useRemoveCollection, useUpdateCollection } from "./queries.ts"

export function CollectionHeader({ collection }: { collection: Collection }) {
  const { name, description } = collection
  const [editing, edit] = useDisclosure(false)
  const editName = useRefocus(editing)
  return (
    <header className="page__head">
      <Group justify="space-between" align="flex-start" gap="md">
        <div className="page__heading">
          {editing ? (
            <>
              <VisuallyHidden component="h1">{name}</VisuallyHidden>
              <RenameForm collection={collection} onClose={edit.close} />
            </>
          ) : (
            <Title order={1} className="breaks-anywhere">
              {name}
            </Title>
          )}
          {description !== "" && (
            <Text c="dimmed" mt={6} className="breaks-anywhere keeps-lines">
              {description}
            </Text>
          )}
        </div>
        {!editing && (
          <Group gap="xs">
            <Button ref={editName} variant="default" leftSection={<Icon shape={IconPencil} />} onClick={edit.open}>
              Edit name
            </Button>
            <DeleteCollection collection={collection} />
          </Group>
        )}
      </Group>
    </header>
  )
}

function RenameForm({ collection, onClose }: { collection: Collection; onClose: () => void }) {
  const { id, name, description } = collection
  const form = useCallForm(collections.update, { id, name, description }, { live: true })
  const update = useUpdateCollection(id)
  return (
    <NameForm
      name={name}
      field={form.field("name")}
      save={() => form.send((input) => update({ ...input, description }))}
      onSaved={onClose}
      onCancel={onClose}
    />
  )
}

function DeleteCollection({ collection: { id, name, subCollections } }: { collection: Collection }) {
  const [asking, ask] = useDisclosure(false)
  const remove = useRemoveCollection(id)
  const navigate = useNavigate()

  async function confirm() {
    const done = await remove({ id })
    ask.close()
    if (done !== undefined) await navigate("/collection/dashboard")
  }
  return (
    <>
      <Button variant="default" className="danger-button" leftSection={<Icon shape={IconTrash} />} onClick={ask.open}>
        Delete collection
      </Button>
      <ConfirmDialog
        opened={asking}
        title="Delete this collection?"
        confirm="Delete"
        onConfirm={confirm}
        onClose={ask.close}
      >
        {subCollections.length === 0 ? (
          <>
            <strong>{name}</strong> has no environments. This cannot be undone.
          </>
        ) : (
          <>
            <strong>{name}</strong> is deleted with everything in it: {count(subCollections.length)}, their items and
            API keys. Apps that read them stop getting values immediately. This cannot be undone.
          </>
        )}
      </ConfirmDialog>
    </>
  )
}

const count = (environments: number) => (environments === 1 ? "1 environment" : `${environments} environments`)
