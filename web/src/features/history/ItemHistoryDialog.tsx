import { allows, type EnvironmentSummary, type Level, type Version } from "@envkeep/contract"
import { Button } from "@mantine/core"
import { IconCopy, IconEraser, IconEye, IconEyeOff } from "@tabler/icons-react"
import { useState } from "react"
import { copy } from "../../lib/clipboard.ts"
import { TimeAgo } from "../../lib/TimeAgo.tsx"
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { IconButton } from "../../ui/IconButton.tsx"
import { LoadFailed } from "../../ui/LoadFailed.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { useLast } from "../../ui/use-last.ts"
import { PastValueText } from "./PastValueText.tsx"
import { useErase, useItemHistory, useReloadHistory, useRestoreItem } from "./queries.ts"
import { RestorePreview } from "./RestorePreview.tsx"
import { useRevealed } from "./use-revealed.ts"
import { isBeginning, whoDidIt } from "./words.ts"
import "./history.css"
import "./versions.css"

interface ItemHistoryDialogProps {
  environment: EnvironmentSummary
  /** Whether it is another environment than the one on the screen, so that its name has to be said. */
  isOther?: boolean
  /** What the user is in the collection. */
  role: Level
  /** Undefined closes the dialog. */
  name: string | undefined
  /** Asks for the history of another name, or for none. */
  onChange: (name: string | undefined) => void
}

/** Every value that a name had, with who set it and when. */
export function ItemHistoryDialog({ environment, isOther = false, role, name, onChange }: ItemHistoryDialogProps) {
  const shownName = useLast(name)
  const [asking, setAsking] = useState<{ kind: "restore" | "erase"; version: Version }>()
  const asked = useLast(asking)
  if (shownName === undefined) return null
  const shown = { environment, name: shownName }
  const close = () => setAsking(undefined)
  return (
    <>
      <Dialog
        opened={name !== undefined}
        onClose={() => onChange(undefined)}
        title={`History of ${shown.name}${isOther ? ` in ${environment.name}` : ""}`}
        size="xl"
        covered={asking !== undefined}
        fillsPhone
      >
        <Versions
          key={shown.name}
          item={shown}
          onName={onChange}
          onRestore={
            allows(role, "editor", environment) ? (version) => setAsking({ kind: "restore", version }) : undefined
          }
          onErase={allows(role, "owner") ? (version) => setAsking({ kind: "erase", version }) : undefined}
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

interface ItemOf {
  environment: EnvironmentSummary
  name: string
}

interface VersionsProps {
  item: ItemOf
  /** Opens the history of the name that an item had before. */
  onName: (name: string) => void
  /** Undefined if the user's role does not allow it, as for the next one. */
  onRestore: ((version: Version) => void) | undefined
  onErase: ((version: Version) => void) | undefined
}

function Versions({ item: { environment, name }, onName, onRestore, onErase }: VersionsProps) {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useItemHistory(environment.id, name)
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
      <ol aria-label="Values, newest first">
        {versions.map((version, at) => (
          <VersionRow
            key={version.revision}
            version={version}
            isCurrent={at === 0 && version.state !== "removed"}
            shown={revealed.isShown(version.revision)}
            onToggle={() => revealed.toggle(version.revision)}
            onName={onName}
            onRestore={onRestore && (() => onRestore(version))}
            onErase={onErase && (() => onErase(version))}
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
  onRestore: (() => void) | undefined
  onErase: (() => void) | undefined
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
        <p>
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
            {onErase !== undefined && !isCurrent && state !== "erased" && (
              <IconButton label="Erase value" className="danger-button" onClick={onErase}>
                <Icon shape={IconEraser} />
              </IconButton>
            )}
            {onRestore !== undefined && !isCurrent && state === "set" && (
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
  item: ItemOf
  version: Version
  onClose: () => void
}

function RestoreItemForm({ item: { environment, name }, version, onClose }: AskProps) {
  const { data } = useItemHistory(environment.id, name)
  const restoreItem = useRestoreItem(environment.collectionId)
  const reload = useReloadHistory(environment.collectionId)
  const [newest] = data?.pages[0]?.versions ?? []
  const isSame = newest?.state === "set" && newest.value === version.value
  const before = newest ?? { state: "removed" as const, value: null }

  async function confirm(note: string) {
    const current = newest === undefined ? {} : { current: newest.revision }
    const done = await restoreItem({ id: environment.id, name, revision: version.revision, note, ...current })
    if (done !== undefined) return onClose()
    // It may have been changed since, so there is a new preview to check.
    await reload()
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
  const { environment, name } = item
  const erase = useErase()

  async function confirm() {
    await erase({ id: environment.id, name, revision: version.revision })
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
