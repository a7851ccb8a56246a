import type { Version } from "@envkeep/contract"
import { Button } from "@mantine/core"
import { IconCopy, IconEraser, IconEye, IconEyeOff } from "@tabler/icons-react"
import { useState } from "react"
import { copy } from "../../lib/clipboard.ts"
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { IconButton } from "../../ui/IconButton.tsx"
import { LoadFailed } from "../../ui/LoadFailed.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { PastValueText } from "./PastValueText.tsx"
import { useErase, useItemHistory, useRestoreItem } from "./queries.ts"
import { RestorePreview } from "./RestorePreview.tsx"
import { TimeAgo } from "./TimeAgo.tsx"
import { useRevealed } from "./use-revealed.ts"
import { isBeginning, whoDidIt } from "./words.ts"
import "./history.css"

export interface ItemHistoryOf {
  environmentId: number
  collectionId: number
  name: string
}

interface ItemHistoryDialogProps {
  /** Undefined closes the dialog. */
  item: ItemHistoryOf | undefined
  /** Asks for the history of another name, or for none. */
  onChange: (item: ItemHistoryOf | undefined) => void
}

/** Every value that a name had, with who set it and when. */
export function ItemHistoryDialog({ item, onChange }: ItemHistoryDialogProps) {
  // Kept while the dialog fades out, so that its text does not disappear first.
  const [shown, setShown] = useState(item)
  if (item !== undefined && item !== shown) setShown(item)
  const [asking, setAsking] = useState<{ kind: "restore" | "erase"; version: Version }>()
  const [asked, setAsked] = useState(asking)
  if (asking !== undefined && asking !== asked) setAsked(asking)
  if (shown === undefined) return null
  const close = () => setAsking(undefined)
  return (
    <>
      <Dialog
        opened={item !== undefined}
        onClose={() => onChange(undefined)}
        title={`History of ${shown.name}`}
        size="xl"
        covered={asking !== undefined}
        fillsPhone
      >
        <Versions
          key={`${shown.environmentId} ${shown.name}`}
          item={shown}
          onName={(name) => onChange({ ...shown, name })}
          onRestore={(version) => setAsking({ kind: "restore", version })}
          onErase={(version) => setAsking({ kind: "erase", version })}
        />
      </Dialog>
      {asked !== undefined && (
        <>
          <Dialog
            opened={asking?.kind === "restore"}
            onClose={close}
            title={`Restore ${shown.name}?`}
            size="lg"
            centered
            inFront
          >
            <RestoreItemForm item={shown} version={asked.version} onClose={close} />
          </Dialog>
          <EraseDialog item={shown} version={asked.version} opened={asking?.kind === "erase"} onClose={close} />
        </>
      )}
    </>
  )
}

interface VersionsProps {
  item: ItemHistoryOf
  /** Opens the history of the name that an item had before. */
  onName: (name: string) => void
  onRestore: (version: Version) => void
  onErase: (version: Version) => void
}

function Versions({ item: { environmentId, name }, onName, onRestore, onErase }: VersionsProps) {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useItemHistory(environmentId, name)
  const revealed = useRevealed()
  if (data === undefined) {
    if (error === null) return <Spinner />
    return <LoadFailed title="This history could not be loaded" message={error.message} onRetry={refetch} />
  }
  const versions = data.pages.flatMap((page) => page.versions)
  if (versions.length === 0) {
    return <EmptyState title="Nothing is kept about this name">Its next change is listed here.</EmptyState>
  }
  return (
    <>
      <ol className="versions" aria-label="Values, newest first">
        {versions.map((version, at) => (
          <VersionRow
            key={version.revision}
            version={version}
            isCurrent={at === 0 && version.state !== "removed"}
            shown={revealed.isShown(version.revision)}
            onToggle={() => revealed.toggle(version.revision)}
            onName={onName}
            onRestore={() => onRestore(version)}
            onErase={() => onErase(version)}
          />
        ))}
      </ol>
      {hasNextPage && (
        <Button variant="default" size="xs" mt="sm" loading={isFetchingNextPage} onClick={() => fetchNextPage()}>
          Show older
        </Button>
      )}
    </>
  )
}

interface VersionRowProps {
  version: Version
  isCurrent: boolean
  shown: boolean
  onToggle: () => void
  onName: (name: string) => void
  onRestore: () => void
  onErase: () => void
}

function VersionRow({ version, isCurrent, shown, onToggle, onName, onRestore, onErase }: VersionRowProps) {
  const { revision, state, value, previousName, by, at, note } = version
  const label = `Revision ${revision}`
  return (
    <li className="version" aria-label={label}>
      <div className="version__head">
        <span className="breaks-anywhere">
          {isBeginning(version) ? (
            <strong>History begins here,</strong>
          ) : (
            <>
              <strong>{whoDidIt(by)}</strong> {howItCame(version)}
            </>
          )}{" "}
          <TimeAgo at={at} />
        </span>
        <span className="version__chips">
          {isCurrent && <span className="chip chip--current">Current</span>}
          <span className="chip">{label}</span>
        </span>
      </div>
      {note !== "" && <p className="revision__note">{note}</p>}
      {previousName !== null && (
        <p className="version__renamed">
          It was called <code className="breaks-anywhere">{previousName}</code> before.
          <Button variant="subtle" size="compact-sm" onClick={() => onName(previousName)}>
            Earlier values
          </Button>
        </p>
      )}
      {state !== "removed" && (
        <div className="version__value">
          <span className="version__text">
            <PastValueText past={version} shown={shown} />
          </span>
          <span className="version__actions">
            {state === "set" && (
              <>
                <IconButton label={shown ? "Hide value" : "Show value"} onClick={onToggle}>
                  {shown ? <Icon shape={IconEyeOff} /> : <Icon shape={IconEye} />}
                </IconButton>
                <IconButton label="Copy value" onClick={() => copy(value ?? "")}>
                  <Icon shape={IconCopy} />
                </IconButton>
              </>
            )}
            {!isCurrent && state !== "erased" && (
              <IconButton label="Erase value" className="danger-button" onClick={onErase}>
                <Icon shape={IconEraser} />
              </IconButton>
            )}
            {!isCurrent && state === "set" && (
              <Button variant="default" size="xs" onClick={onRestore}>
                Restore
              </Button>
            )}
          </span>
        </div>
      )}
    </li>
  )
}

function howItCame({ state, action, previousName }: Version): string {
  if (state === "removed") return "removed it"
  if (previousName !== null) return "renamed it"
  if (action === "item.add") return "added it"
  if (action === "item.restore" || action === "environment.restore") return "restored it"
  return "set it"
}

interface AskProps {
  item: ItemHistoryOf
  version: Version
  onClose: () => void
}

function RestoreItemForm({ item: { environmentId, collectionId, name }, version, onClose }: AskProps) {
  const { data } = useItemHistory(environmentId, name)
  const restoreItem = useRestoreItem(collectionId)
  const [newest] = data?.pages[0]?.versions ?? []
  const isSame = newest?.state === "set" && newest.value === version.value
  const before = newest ?? { state: "removed" as const, value: null }

  async function confirm(note: string) {
    await restoreItem({ id: environmentId, name, revision: version.revision, note })
    onClose()
  }
  return (
    <RestorePreview
      changes={isSame ? [] : [{ name, previousName: null, before, after: version }]}
      none="Nothing would change: this is the current value."
      onRestore={confirm}
      onClose={onClose}
    />
  )
}

function EraseDialog({ item, version, opened, onClose }: AskProps & { opened: boolean }) {
  const { environmentId, name } = item
  const erase = useErase()

  async function confirm() {
    await erase({ id: environmentId, name, revision: version.revision })
    onClose()
  }
  return (
    <ConfirmDialog
      opened={opened}
      title="Erase this value for good?"
      confirm="Erase"
      onConfirm={confirm}
      onClose={onClose}
    >
      The value that <strong>{name}</strong> got in revision {version.revision} is removed from the history and from the
      database. You cannot see or restore it again, and revisions that hold it cannot be restored as a whole. The entry
      stays and says that you erased it. Backups that were made before still hold the value. This cannot be undone.
    </ConfirmDialog>
  )
}
