import type { Environment } from "@envkeep/contract"
import { useDisclosure } from "@mantine/hooks"
import { IconChevronRight, IconCode, IconDownload, IconKey, IconPencil } from "@tabler/icons-react"
import type { Ref } from "react"
import { ActionButton } from "../../ui/ActionButton.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { IconButton } from "../../ui/IconButton.tsx"
import { ApiKeysDialog } from "../api-keys/ApiKeysDialog.tsx"
import { DeleteEnvironment } from "./DeleteEnvironment.tsx"
import { ExportMenu } from "./export/ExportMenu.tsx"
import { ImportDialog } from "./import/ImportDialog.tsx"
import { RawDialog } from "./raw/RawDialog.tsx"

interface EnvironmentHeaderProps {
  environment: Environment
  unsaved: number
  expanded: boolean
  /** The id of what the toggle expands. */
  controls: string
  toggle: Ref<HTMLButtonElement>
  editName: Ref<HTMLButtonElement>
  onToggle: () => void
  onEditName: () => void
  onDeleted: () => void
}

export function EnvironmentHeader({ environment, unsaved, expanded, controls, ...rest }: EnvironmentHeaderProps) {
  const { toggle, editName, ...on } = rest
  const { id, name, collectionId, collectionItems: items } = environment
  const [rawOpened, raw] = useDisclosure(false)
  const [importOpened, importing] = useDisclosure(false)
  const [keysOpened, keys] = useDisclosure(false)
  return (
    <div className="environment__head">
      <h2 className="environment__title">
        <button
          type="button"
          className="environment__toggle"
          aria-expanded={expanded}
          aria-controls={controls}
          ref={toggle}
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
        <IconButton ref={editName} label="Edit name" onClick={on.onEditName}>
          <Icon shape={IconPencil} />
        </IconButton>
        <DeleteEnvironment environment={environment} onDeleted={on.onDeleted} />
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
    </div>
  )
}
