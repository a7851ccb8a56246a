import type { Environment } from "@envkeep/contract"
import { useDisclosure } from "@mantine/hooks"
import { IconChevronRight, IconCode, IconDownload, IconKey, IconPencil, IconTrash } from "@tabler/icons-react"
import { ActionButton } from "../../ui/ActionButton.tsx"
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { IconButton } from "../../ui/IconButton.tsx"
import { ApiKeysDialog } from "../api-keys/ApiKeysDialog.tsx"
import { ExportMenu } from "./export/ExportMenu.tsx"
import { ImportDialog } from "./import/ImportDialog.tsx"
import { useRemoveEnvironment } from "./queries.ts"
import { RawDialog } from "./raw/RawDialog.tsx"

interface EnvironmentHeaderProps {
  environment: Environment
  unsaved: number
  expanded: boolean
  /** The id of what the toggle expands. */
  controls: string
  onToggle: () => void
  onEditName: () => void
}

export function EnvironmentHeader({ environment, unsaved, expanded, controls, ...on }: EnvironmentHeaderProps) {
  const { id, name, collectionId, collectionItems: items } = environment
  const [rawOpened, raw] = useDisclosure(false)
  const [importOpened, importing] = useDisclosure(false)
  const [keysOpened, keys] = useDisclosure(false)
  const [asking, ask] = useDisclosure(false)
  const remove = useRemoveEnvironment(collectionId)
  return (
    <div className="environment__head">
      <h2 className="environment__title">
        <button
          type="button"
          className="environment__toggle"
          aria-expanded={expanded}
          aria-controls={controls}
          data-environment={id}
          onClick={on.onToggle}
        >
          <span className="environment__chevron">
            <Icon shape={IconChevronRight} />
          </span>
          <span className="environment__name">{name}</span>
          <span className="chip">
            {items.length === 1 ? "1 item" : `${items.length.toLocaleString("en-US")} items`}
          </span>
        </button>
      </h2>
      {unsaved > 0 && <span className="chip chip--unsaved">{`${unsaved} unsaved`}</span>}
      <div className="environment__actions">
        <ActionButton label="Edit raw values" icon={<Icon shape={IconCode} />} onClick={raw.open} />
        <ActionButton label="Import" icon={<Icon shape={IconDownload} />} onClick={importing.open} />
        <ExportMenu environment={environment} unsaved={unsaved} />
        <ActionButton label="Manage API keys" icon={<Icon shape={IconKey} />} onClick={keys.open} />
        <IconButton label="Edit name" onClick={on.onEditName}>
          <Icon shape={IconPencil} />
        </IconButton>
        <IconButton label="Delete environment" className="danger-button" onClick={ask.open}>
          <Icon shape={IconTrash} />
        </IconButton>
      </div>
      <RawDialog environment={environment} opened={rawOpened} onClose={raw.close} />
      <ImportDialog environment={environment} unsaved={unsaved} opened={importOpened} onClose={importing.close} />
      <ApiKeysDialog
        environmentId={id}
        environmentName={name}
        collectionId={collectionId}
        apiKeys={environment.apiKeys}
        opened={keysOpened}
        onClose={keys.close}
      />
      <ConfirmDialog
        opened={asking}
        title="Delete this environment?"
        confirm="Delete"
        onConfirm={async () => {
          const next = nextAfter(id)
          const done = await remove({ id })
          ask.close()
          // After the dialog has let go of the keyboard.
          if (done !== undefined) setTimeout(() => next?.focus(), 30)
        }}
        onClose={ask.close}
      >
        <strong>{name}</strong> goes with its items and API keys. Apps that read it stop getting values at once. This
        cannot be undone.
      </ConfirmDialog>
    </div>
  )
}

/** What takes the keyboard when an environment goes: the next one, or the field that makes a new one. */
function nextAfter(id: number): HTMLElement | null {
  const toggles = [...document.querySelectorAll<HTMLElement>("[data-environment]")]
  const next = toggles[toggles.findIndex((toggle) => toggle.dataset["environment"] === String(id)) + 1]
  return next ?? document.querySelector<HTMLElement>(".create-environment input")
}
