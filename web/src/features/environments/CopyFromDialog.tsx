import type { Environment } from "@envkeep/contract"
import { Button, Text } from "@mantine/core"
import { Dialog } from "../../ui/Dialog.tsx"
import { useOnce } from "../../ui/use-once.ts"
import { itemCount } from "./item-count.ts"
import { useSaveAllItems } from "./queries.ts"

interface CopyFromDialogProps {
  /** It has no items yet, so that nothing is overwritten. */
  environment: Environment
  sources: Environment[]
  opened: boolean
  onClose: () => void
}

export function CopyFromDialog({ environment, sources, opened, onClose }: CopyFromDialogProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={`Copy into ${environment.name}`}>
      <Text size="sm" c="dimmed" mb="sm">
        Choose an environment. Its items are copied with their values, without its API keys.
      </Text>
      <ul className="copy-sources">
        {sources.map((source) => (
          <li key={source.id}>
            <CopySource source={source} target={environment} onCopied={onClose} />
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

interface CopySourceProps {
  source: Environment
  target: Environment
  onCopied: () => void
}

function CopySource({ source, target, onCopied }: CopySourceProps) {
  const saveAll = useSaveAllItems(target.collectionId)
  const items = copyable(source)
  const [copy, pending] = useOnce(async () => {
    // With the revision, items that were added to the target in another tab are not overwritten.
    const saved = await saveAll({ id: target.id, items, revision: target.revision })
    if (saved !== undefined) onCopied()
  })
  return (
    <Button
      variant="default"
      fullWidth
      justify="space-between"
      rightSection={<span className="chip">{itemCount(items.length)}</span>}
      loading={pending}
      onClick={copy}
    >
      {source.name}
    </Button>
  )
}

/** The items of an environment without the damaged ones, whose values cannot be read. */
export function copyable({ collectionItems }: Environment): { name: string; value: string }[] {
  return collectionItems.flatMap(({ name, value }) => (value === null ? [] : [{ name, value }]))
}
