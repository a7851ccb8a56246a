import type { ActivityEvent, ActivityKind } from "@envkeep/contract"
import { Button } from "@mantine/core"
import { IconDownload, IconHistory } from "@tabler/icons-react"
import { useState } from "react"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { LoadFailed } from "../../ui/LoadFailed.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { ActivityFilterBar } from "./ActivityFilterBar.tsx"
import { ActivityList } from "./ActivityList.tsx"
import { HeadNote } from "./HeadNote.tsx"
import { type ActivityFilters, type ActivityScope, exportUrl, useActivity } from "./queries.ts"
import "./activity.css"

interface ActivityProps {
  scope: ActivityScope
  kinds: readonly ActivityKind[]
  environments?: readonly { id: number; name: string }[]
  /** Whether to ask who did it. */
  byPerson?: boolean
}

/** Filters, the events that match, and where the audit trail ends. */
export function Activity({ scope, kinds, environments, byPerson = false }: ActivityProps) {
  const [filters, setFilters] = useState<ActivityFilters>({})
  const { data, error, isFetching, isFetchingNextPage, hasNextPage, fetchNextPage, refetch } = useActivity(
    scope,
    filters,
  )
  const people = usePeople(data?.pages.flatMap(({ events }) => events) ?? [])
  const events = data?.pages.flatMap((page) => page.events) ?? []
  const isFiltered = Object.values(filters).some((value) => value !== undefined)
  return (
    <>
      <div className="activity-tools">
        <ActivityFilterBar
          filters={filters}
          kinds={kinds}
          environments={environments}
          people={byPerson ? people : undefined}
          onChange={setFilters}
        />
        <Button
          component="a"
          href={exportUrl(scope, filters)}
          download
          variant="default"
          leftSection={<Icon shape={IconDownload} />}
        >
          Export
        </Button>
      </div>
      {error !== null && events.length === 0 ? (
        <LoadFailed title="The activity could not be loaded" message={error.message} onRetry={refetch} />
      ) : data === undefined ? (
        <Spinner />
      ) : (
        <div aria-busy={isFetching}>
          <HeadNote head={data.pages[0]?.head ?? null} />
          <ActivityList events={events} showCollection={scope.of === "account"} />
          {events.length === 0 && (
            <EmptyState
              icon={<Icon shape={IconHistory} />}
              title={isFiltered ? "Nothing matches these filters" : "Nothing has happened yet"}
            >
              {isFiltered && (
                <Button variant="default" onClick={() => setFilters({})}>
                  Clear filters
                </Button>
              )}
            </EmptyState>
          )}
          {hasNextPage && (
            <div className="activity-more">
              <Button variant="default" loading={isFetchingNextPage} onClick={() => fetchNextPage()}>
                Show older activity
              </Button>
            </div>
          )}
        </div>
      )}
    </>
  )
}

/** Everyone who was seen so far, so that a choice does not vanish when it is chosen. */
function usePeople(events: readonly ActivityEvent[]): { id: number; name: string }[] {
  const [known, setKnown] = useState<ReadonlyMap<number, string>>(new Map())
  const added = events.flatMap(({ actor: { kind, id, name } }) =>
    kind === "user" && id !== null && !known.has(id) ? [[id, name] as const] : [],
  )
  if (added.length > 0) setKnown(new Map([...known, ...added]))
  return [...known].map(([id, name]) => ({ id, name }))
}
