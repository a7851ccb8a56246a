import type { EnvironmentSummary, ListedRevision } from "@envkeep/contract"
import { Button, Text } from "@mantine/core"
import { IconGitCompare, IconHistory } from "@tabler/icons-react"
import { useEffect, useState } from "react"
import { useNavigate } from "react-router"
import { useNow } from "../../lib/now.ts"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { LoadFailed } from "../../ui/LoadFailed.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import type { OnItem } from "./ChangeList.tsx"
import { useRevisions } from "./queries.ts"
import { RevisionEntry } from "./RevisionEntry.tsx"
import { byDay, isBeginning } from "./words.ts"
import "./timeline.css"

interface TimelineProps {
  environment: EnvironmentSummary
  /** Undefined if the user's role does not allow it. */
  onRestore: ((revision: number) => void) | undefined
  onItem: OnItem
}

/** The revisions of an environment by day, newest first. */
export function Timeline({ environment, onRestore, onItem }: TimelineProps) {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useRevisions(environment.id)
  const [chosen, setChosen] = useState<readonly number[]>([])
  const revisions = data?.pages.flatMap((page) => page.revisions) ?? []
  const now = useNow()
  const current = revisions[0]?.number ?? 0

  // The environment was changed by someone else, or in another tab.
  const isBehind = data !== undefined && current < environment.revision
  useEffect(() => {
    if (isBehind) refetch()
  }, [isBehind, refetch])

  if (data === undefined) {
    if (error === null) return <Spinner />
    return <LoadFailed title="The history could not be loaded" message={error.message} onRetry={refetch} />
  }
  /** A third one takes the place of the one that was chosen first. */
  function choose(number: number) {
    setChosen((now) => (now.includes(number) ? now.filter((one) => one !== number) : [...now.slice(-1), number]))
  }
  const oldest = revisions.at(-1)
  return (
    <>
      {byDay(revisions, new Date(now)).map(({ day, entries }) => (
        <section key={day} className="history-day" aria-label={day}>
          <h2 className="history-day__title">{day}</h2>
          <ol className="card revisions lined" aria-label={day}>
            {entries.map((revision) => (
              <RevisionEntry
                key={revision.number}
                environment={environment}
                revision={revision}
                current={current}
                chosen={chosen.includes(revision.number)}
                onChoose={() => choose(revision.number)}
                onRestore={onRestore && (() => onRestore(revision.number))}
                onItem={onItem}
              />
            ))}
          </ol>
        </section>
      ))}
      {hasNextPage && (
        <Button variant="default" loading={isFetchingNextPage} onClick={() => fetchNextPage()}>
          Show older
        </Button>
      )}
      {!hasNextPage && revisions.length === 1 && (
        <EmptyState icon={<Icon shape={IconHistory} />} title="Nothing has changed yet">
          Every change of the name and the items will be listed here, with who made it. Any of them can be undone.
        </EmptyState>
      )}
      {!hasNextPage && oldest !== undefined && isCut(oldest) && (
        <Text size="sm" c="dimmed" mt="md">
          Older revisions are no longer kept.
        </Text>
      )}
      {chosen.length > 0 && <CompareBar chosen={chosen} onClear={() => setChosen([])} />}
    </>
  )
}

/** Whether there were revisions before this one. An environment that is older than the history has none. */
function isCut(oldest: ListedRevision): boolean {
  return oldest.number > 1 && !isBeginning(oldest)
}

function CompareBar({ chosen, onClear }: { chosen: readonly number[]; onClear: () => void }) {
  const navigate = useNavigate()
  const [earlier, later] = chosen.toSorted((a, b) => a - b)
  return (
    <div className="compare-bar">
      <Text size="sm" role="status">
        {later === undefined
          ? `Revision ${earlier} is chosen. Choose another one to compare.`
          : `Revisions ${earlier} and ${later} are chosen.`}
      </Text>
      <Button variant="default" size="xs" onClick={onClear}>
        Clear
      </Button>
      <Button
        size="xs"
        leftSection={<Icon shape={IconGitCompare} />}
        disabled={later === undefined}
        onClick={() => navigate(`?compare=${earlier}-${later}`)}
      >
        Compare
      </Button>
    </div>
  )
}
