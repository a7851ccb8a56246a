import type { ApiKey } from "@envkeep/contract"
import { Button } from "@mantine/core"
import { IconCopy, IconTerminal2, IconTrash } from "@tabler/icons-react"
import { copy } from "../../lib/clipboard.ts"
import { exactTime } from "../../lib/relative-time.ts"
import { Icon } from "../../ui/Icon.tsx"

const shownCharacters = 10

interface ApiKeyRowProps {
  apiKey: ApiKey
  /** Whether the panel below the list is about this key. */
  inUse: boolean
  onUse: () => void
  onDelete: () => void
}

export function ApiKeyRow({ apiKey, inUse, onUse, onDelete }: ApiKeyRowProps) {
  const { name, key, lastUsedAt } = apiKey
  return (
    <li className="api-keys__row" aria-label={name}>
      <div className="api-keys__text">
        <span className="api-keys__name breaks-anywhere">{name}</span>
        <code className="api-keys__key">
          {key === null ? "Works, but can no longer be shown" : `${key.slice(0, shownCharacters)}...`}
        </code>
        <span className="api-keys__used">
          {lastUsedAt === null ? "Never used" : `Last used ${exactTime(lastUsedAt)}`}
        </span>
      </div>
      <Button
        variant={inUse ? "light" : "default"}
        size="xs"
        aria-expanded={inUse}
        leftSection={<Icon shape={IconTerminal2} />}
        onClick={onUse}
      >
        Use
      </Button>
      <Button
        variant="default"
        size="xs"
        leftSection={<Icon shape={IconCopy} />}
        disabled={key === null}
        onClick={() => key !== null && copy(key)}
      >
        Copy
      </Button>
      <Button
        variant="default"
        size="xs"
        className="danger-button"
        leftSection={<Icon shape={IconTrash} />}
        onClick={onDelete}
      >
        Delete
      </Button>
    </li>
  )
}
