import { Button, Text } from "@mantine/core"
import { IconCopy, IconFileImport, IconPlus } from "@tabler/icons-react"
import { Icon } from "../../ui/Icon.tsx"
import { HistoryLink } from "./HistoryLink.tsx"

interface NoItemsProps {
  historyPath: string
  onImport: () => void
  onAdd: () => void
  onCopyFrom: (() => void) | undefined
}

/** The ways to fill an environment. */
export function NoItems({ historyPath, onImport, onAdd, onCopyFrom }: NoItemsProps) {
  return (
    <div className="items__note">
      <Text c="dimmed" size="sm">
        No items yet. Start with a whole file or with one variable.
      </Text>
      <div className="items__ways">
        <Button size="xs" leftSection={<Icon shape={IconFileImport} />} onClick={onImport}>
          Paste .env
        </Button>
        <Button variant="default" size="xs" leftSection={<Icon shape={IconPlus} />} onClick={onAdd}>
          Add one
        </Button>
        {onCopyFrom !== undefined && (
          <Button variant="default" size="xs" leftSection={<Icon shape={IconCopy} />} onClick={onCopyFrom}>
            Copy from…
          </Button>
        )}
        <HistoryLink to={historyPath} />
      </div>
    </div>
  )
}
