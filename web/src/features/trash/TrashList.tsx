import type { TrashedEnvironment } from "@envkeep/contract"
import { Button, Text } from "@mantine/core"
import { IconArrowBackUp, IconTrash } from "@tabler/icons-react"
import { type ReactNode, useState } from "react"
import { useNow } from "../../lib/now.ts"
import { TimeAgo } from "../../lib/TimeAgo.tsx"
import type { OnRefused } from "../../lib/write.ts"
import { formatNumber } from "../../ui/counts.ts"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { useFocusWhen } from "../../ui/use-focus-when.ts"
import { useOnce } from "../../ui/use-once.ts"
import { TypedNameDialog } from "./TypedNameDialog.tsx"
import { timeLeft } from "./time-left.ts"
import "./trash.css"

interface TrashListProps<Entry extends TrashedEnvironment> {
  what: "collection" | "environment"
  entries: Entry[]
  total: number
  /** What an entry holds, such as "3 items". */
  contents: (entry: Entry) => string
  /** Each resolves to undefined if it was refused. */
  restore: (entry: Entry) => Promise<unknown>
  /** Undefined if the user's role does not allow it. */
  purge: ((entry: Entry, typed: string, onRefused: OnRefused) => Promise<unknown>) | undefined
}

/** After an entry has gone, the focus moves to the next one, or to the words that say that there is none. */
export function TrashList<Entry extends TrashedEnvironment>({
  what,
  entries,
  total,
  contents,
  restore,
  purge,
}: TrashListProps<Entry>) {
  const [asked, setAsked] = useState<Entry>()
  const [asking, setAsking] = useState(false)
  const [next, setNext] = useState<{ id: number | undefined; after: number }>()
  // Only once the entry that has gone is not shown any more.
  const focusOn = next !== undefined && !entries.some(({ id }) => id === next.after) ? next : undefined
  const onFocused = () => setNext(undefined)
  const none = useFocusWhen<HTMLDivElement>(focusOn !== undefined && entries.length === 0, onFocused)

  async function moveFocus(entry: Entry, done: Promise<unknown>): Promise<unknown> {
    const at = entries.indexOf(entry)
    const result = await done
    if (result !== undefined) setNext({ id: (entries[at + 1] ?? entries[at - 1])?.id, after: entry.id })
    return result
  }
  if (entries.length === 0) {
    return (
      <div ref={none} tabIndex={-1} className="trash-none">
        <EmptyState icon={<Icon shape={IconTrash} />} title="The trash is empty">
          Deleted {what}s come here, and can be restored.
        </EmptyState>
      </div>
    )
  }
  return (
    <>
      <ul className="card lined" aria-label={`Deleted ${what}s`}>
        {entries.map((entry) => (
          <TrashRow
            key={entry.id}
            entry={entry}
            contents={contents(entry)}
            focused={focusOn?.id === entry.id}
            onFocused={onFocused}
            onRestore={() => moveFocus(entry, restore(entry))}
            onPurge={
              purge &&
              (() => {
                setAsked(entry)
                setAsking(true)
              })
            }
          />
        ))}
      </ul>
      {total > entries.length && (
        <Text size="sm" c="dimmed" mt="sm">
          {`The last ${entries.length} of ${formatNumber(total)} are shown.`}
        </Text>
      )}
      {asked !== undefined && purge !== undefined && (
        <TypedNameDialog
          opened={asking}
          title={`Delete this ${what} forever?`}
          name={asked.name}
          label={`Type the name of the ${what}`}
          confirm="Delete forever"
          onConfirm={(typed, onRefused) => moveFocus(asked, purge(asked, typed, onRefused))}
          onClose={() => setAsking(false)}
        >
          The {what} is deleted from this server with everything in it, its history and its API keys included. This
          cannot be undone.
        </TypedNameDialog>
      )}
    </>
  )
}

interface TrashRowProps {
  entry: TrashedEnvironment
  contents: ReactNode
  focused: boolean
  onFocused: () => void
  onRestore: () => Promise<unknown>
  onPurge: (() => void) | undefined
}

function TrashRow({ entry, contents, focused, onFocused, onRestore, onPurge }: TrashRowProps) {
  const { name, deletedAt, deletedBy, expiresAt } = entry
  // Shows it again as time passes. By the time of the last tick, what was just deleted would have more left than it has.
  useNow()
  const [restore, pending] = useOnce(onRestore)
  const restoreButton = useFocusWhen<HTMLButtonElement>(focused, onFocused)
  return (
    <li className="trash-row">
      <div className="trash-row__text">
        <Text fw={600} className="breaks-anywhere">
          {name}
        </Text>
        <Text size="sm" c="dimmed" className="breaks-anywhere">
          Deleted <TimeAgo at={deletedAt} />
          {deletedBy !== null && ` by ${deletedBy}`} · {contents} · {timeLeft(expiresAt)}
        </Text>
      </div>
      <div className="trash-row__actions">
        <Button
          ref={restoreButton}
          variant="default"
          leftSection={<Icon shape={IconArrowBackUp} />}
          loading={pending}
          aria-label={`Restore ${name}`}
          onClick={restore}
        >
          Restore
        </Button>
        {onPurge !== undefined && (
          <Button
            variant="subtle"
            color="gray"
            className="danger-button"
            aria-label={`Delete forever: ${name}`}
            onClick={onPurge}
          >
            Delete forever
          </Button>
        )}
      </div>
    </li>
  )
}
