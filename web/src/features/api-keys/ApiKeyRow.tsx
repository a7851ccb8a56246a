import type { ApiKey } from "@envkeep/contract"
import { Button } from "@mantine/core"
import { IconCopy, IconSettings, IconTerminal2, IconTrash } from "@tabler/icons-react"
import { copy } from "../../lib/clipboard.ts"
import { useNow } from "../../lib/now.ts"
import { exactTime } from "../../lib/relative-time.ts"
import { Icon } from "../../ui/Icon.tsx"
import { badgesOf } from "./key-state.ts"

const shownCharacters = 10

interface ApiKeyRowProps {
  apiKey: ApiKey
  /** Whether a panel below the list is about this key. */
  inUse: boolean
  isManaged: boolean
  onUse: () => void
  onManage: () => void
  onDelete: () => void
}

export function ApiKeyRow({ apiKey, inUse, isManaged, onUse, onManage, onDelete }: ApiKeyRowProps) {
  const { name, key, note } = apiKey
  // Shows it again as time passes. By the time of the last tick, a new key would have more left than it has.
  useNow()
  return (
    <li className="api-keys__row" aria-label={name}>
      <div className="api-keys__text">
        <span className="api-keys__name breaks-anywhere">
          {name}
          {badgesOf(apiKey).map(({ label, isWarning }) => (
            <span key={label} className={isWarning ? "chip chip--unsaved" : "chip"}>
              {label}
            </span>
          ))}
        </span>
        <code className="api-keys__key">
          {key === null ? "Works, but can no longer be shown" : `${key.slice(0, shownCharacters)}...`}
        </code>
        {note !== "" && <span className="api-keys__used breaks-anywhere">{note}</span>}
        <span className="api-keys__used">{lastUse(apiKey)}</span>
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
        variant={isManaged ? "light" : "default"}
        size="xs"
        aria-expanded={isManaged}
        leftSection={<Icon shape={IconSettings} />}
        onClick={onManage}
      >
        Manage
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

function lastUse({ lastUsedAt, lastUsedBy, lastUsedFrom }: ApiKey): string {
  if (lastUsedAt === null) return "Never used"
  const by = lastUsedBy === null ? "" : ` by ${lastUsedBy.replace("/", " ")}`
  return `Last used ${exactTime(lastUsedAt)}${by}${lastUsedFrom === null ? "" : ` from ${lastUsedFrom}`}`
}
