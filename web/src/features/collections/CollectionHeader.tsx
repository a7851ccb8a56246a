import type { Collection } from "@envkeep/contract"
import { Button, Group, Text, Title, VisuallyHidden } from "@mantine/core"
import { IconHistory, IconPencil } from "@tabler/icons-react"
import { useState } from "react"
import { Link } from "react-router"
import { Icon } from "../../ui/Icon.tsx"
import { IconButton } from "../../ui/IconButton.tsx"
import { useRefocus } from "../../ui/use-refocus.ts"
import { DeleteCollection } from "./DeleteCollection.tsx"
import { type CollectionField, EditCollectionForm } from "./EditCollectionForm.tsx"
import "./collection.css"

export function CollectionHeader({ collection }: { collection: Collection }) {
  const { name, description } = collection
  const [editing, setEditing] = useState<CollectionField>()
  const editName = useRefocus(editing !== undefined)
  if (editing !== undefined) {
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
          <Title order={1} className="breaks-anywhere">
            {name}
          </Title>
          {description === "" ? (
            <Button
              variant="subtle"
              color="gray"
              size="compact-sm"
              className="add-description"
              onClick={() => setEditing("description")}
            >
              Add a description
            </Button>
          ) : (
            <div className="collection-description">
              <Text c="dimmed" className="breaks-anywhere keeps-lines">
                {description}
              </Text>
              <IconButton label="Edit description" size="sm" onClick={() => setEditing("description")}>
                <Icon shape={IconPencil} />
              </IconButton>
            </div>
          )}
        </div>
        <Group gap="xs" className="collection-actions">
          <Button
            component={Link}
            to={`/collection/${collection.id}/activity`}
            variant="default"
            leftSection={<Icon shape={IconHistory} />}
          >
            Activity
          </Button>
          <Button
            ref={editName}
            variant="default"
            leftSection={<Icon shape={IconPencil} />}
            onClick={() => setEditing("name")}
          >
            Edit name
          </Button>
          <DeleteCollection collection={collection} />
        </Group>
      </Group>
    </header>
  )
}
