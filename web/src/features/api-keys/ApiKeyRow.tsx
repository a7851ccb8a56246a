import type { ApiKey } from "@envkeep/contract"
import { Button } from "@mantine/core"
import { IconCopy, IconTrash } from "@tabler/icons-react"
import { copy } from "../../lib/clipboard.ts"
import { Icon } from "../../ui/Icon.tsx"

const shownCharacters = 10

export function ApiKeyRow({ apiKey, onDelete }: { apiKey: ApiKey; onDelete: () => void }) {
  const { name, key, lastUsedAt } = apiKey
  return (
    <li className="api-keys__row" aria-label={name}>
      <div className="api-keys__text">
        <span className="api-keys__name breaks-anywhere">{name}</span>
        <code className="api-keys__key">
          {key === null ? "Works, but can no longer be shown" : `${key.slice(0, shownCharacters)}...`}
        </code>
        <span className="api-keys__used">{lastUsedAt === null ? "Never used" : `Last used ${timeOf(lastUsedAt)}`}</span>
      </div>
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

function timeOf(iso: string): string {
  return new Date(iso).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })
}
