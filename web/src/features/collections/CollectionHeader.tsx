import { allows, type Collection } from "@envkeep/contract"
import { Button, Group, Text, Title, VisuallyHidden } from "@mantine/core"
import { IconColumns3, IconHistory, IconPencil, type Icon as IconShape, IconTags, IconUsers } from "@tabler/icons-react"
import { useState } from "react"
import { Link } from "react-router"
import { roleWords } from "../../lib/roles.ts"
import { Icon } from "../../ui/Icon.tsx"
import { IconButton } from "../../ui/IconButton.tsx"
import { useRefocus } from "../../ui/use-refocus.ts"
import { CollectionMenu } from "./CollectionMenu.tsx"
import { DeleteCollection } from "./DeleteCollection.tsx"
import { type CollectionField, EditCollectionForm } from "./EditCollectionForm.tsx"
import "./collection.css"

export function CollectionHeader({ collection }: { collection: Collection }) {
  const { name, description, role } = collection
  const canManage = allows(role, "maintainer")
  const [editing, setEditing] = useState<CollectionField>()
  const editName = useRefocus(editing !== undefined)
  if (editing !== undefined && canManage) {
    return (
      <header className="page__head">
        <VisuallyHidden component="h1">{name}</VisuallyHidden>
        <EditCollectionForm collection={collection} first={editing} onClose={() => setEditing(undefined)} />
      </header>
    )
  }
  return (
    <header className="page__head">
      <Group justify="space-between" align="flex-start" gap="md">
        <div className="page__heading">
          <div className="collection-title">
            <Title order={1} className="breaks-anywhere">
              {name}
            </Title>
            {canManage && (
              <IconButton ref={editName} label="Edit name" onClick={() => setEditing("name")}>
                <Icon shape={IconPencil} />
              </IconButton>
            )}
          </div>
          {role !== "owner" && (
            <Text size="sm" c="dimmed" mt={6} className="collection-role">
              <span className="chip">{roleWords[role].label}</span>
              {roleWords[role].does}
            </Text>
          )}
          {canManage && description === "" && (
            <Button
              variant="subtle"
              color="gray"
              size="compact-sm"
              mt={4}
              ml={-8}
              onClick={() => setEditing("description")}
            >
              Add a description
            </Button>
          )}
        </div>
        {description !== "" && (
          <div className="collection-description">
            <Text c="dimmed" className="breaks-anywhere keeps-lines">
              {description}
            </Text>
            {canManage && (
              <IconButton label="Edit description" size="sm" onClick={() => setEditing("description")}>
                <Icon shape={IconPencil} />
              </IconButton>
            )}
          </div>
        )}
        <CollectionActions collection={collection} />
      </Group>
    </header>
  )
}

/** The pages of the collection, and what can be done with all of it. */
function CollectionActions({ collection }: { collection: Collection }) {
  const { id, role } = collection
  return (
    <Group gap="xs" className="collection-actions">
      <PageButton to={`/collection/${id}/sharing`} icon={IconUsers}>
        Sharing
      </PageButton>
      {collection.subCollections.length > 1 && (
        <PageButton to={`/collection/${id}/compare`} icon={IconColumns3}>
          Compare
        </PageButton>
      )}
      <PageButton to={`/collection/${id}/names`} icon={IconTags}>
        Names
      </PageButton>
      {allows(role, "maintainer") && (
        <PageButton to={`/collection/${id}/activity`} icon={IconHistory}>
          Activity
        </PageButton>
      )}
      {allows(role, "owner") && <DeleteCollection collection={collection} />}
      <CollectionMenu collection={collection} />
    </Group>
  )
}

function PageButton({ to, icon, children }: { to: string; icon: IconShape; children: string }) {
  return (
    <Button component={Link} to={to} variant="default" leftSection={<Icon shape={icon} />}>
      {children}
    </Button>
  )
}
