import type { TrashedCollection } from "@envkeep/contract"
import { useUser } from "../../lib/state.ts"
import { Breadcrumb } from "../../ui/Breadcrumb.tsx"
import { LoadFailed } from "../../ui/LoadFailed.tsx"
import { Page } from "../../ui/Page.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { countedOrNone } from "./counted-or-none.ts"
import { EmptyTrash } from "./EmptyTrash.tsx"
import { useEmptyCollections, usePurgeCollection, useRestoreCollection } from "./queries.ts"
import { TrashList } from "./TrashList.tsx"
import { useTrashedCollections } from "./trashed-collections.ts"

/** The collections that were deleted. */
export function TrashScreen() {
  const { data, error, refetch } = useTrashedCollections()
  const user = useUser()
  const restore = useRestoreCollection()
  const purge = usePurgeCollection()
  const empty = useEmptyCollections()
  const total = data?.total ?? 0
  return (
    <Page
      title="Trash"
      lead="Deleted collections, with what was in them. Their API keys do not work until you restore them."
      breadcrumb={<Breadcrumb to="/collection/dashboard">Dashboard</Breadcrumb>}
      actions={
        total > 0 && (
          <EmptyTrash
            contents={countedOrNone(total, "collection")}
            name={user?.username ?? ""}
            label="Type your username"
            empty={(name, onRefused) => empty({ name }, onRefused)}
          />
        )
      }
    >
      {data !== undefined && (
        <TrashList
          what="collection"
          entries={data.entries}
          total={total}
          contents={contents}
          restore={({ id }) => restore({ id })}
          purge={({ id }, name, onRefused) => purge({ id, name }, onRefused)}
        />
      )}
      {data === undefined && error === null && <Spinner />}
      {data === undefined && error !== null && (
        <LoadFailed title="The trash could not be loaded" message={error.message} onRetry={refetch} />
      )}
    </Page>
  )
}

const contents = ({ environmentCount, itemCount }: TrashedCollection) =>
  `${countedOrNone(environmentCount, "environment")}, ${countedOrNone(itemCount, "item")}`
