import { allows, type TrashedEnvironment } from "@envkeep/contract"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { Navigate, useParams } from "react-router"
import { ApiError } from "../../lib/api.ts"
import { collectionQuery } from "../../lib/collection-query.ts"
import { FollowCollection } from "../../lib/FollowCollection.tsx"
import { Breadcrumb } from "../../ui/Breadcrumb.tsx"
import { LoadFailed } from "../../ui/LoadFailed.tsx"
import { Page } from "../../ui/Page.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { countedOrNone } from "./counted-or-none.ts"
import { EmptyTrash } from "./EmptyTrash.tsx"
import { useEmptyEnvironments, usePurgeEnvironment, useRestoreEnvironment, useTrashedEnvironments } from "./queries.ts"
import { TrashList } from "./TrashList.tsx"

/** The environments of a collection that were deleted. */
export function CollectionTrashScreen() {
  const { id = "" } = useParams()
  if (!/^[1-9]\d{0,14}$/.test(id)) return <Navigate to="/collection/dashboard" replace />
  return <CollectionTrash key={id} id={Number(id)} />
}

function CollectionTrash({ id }: { id: number }) {
  const [isGone, setGone] = useState(false)
  return isGone ? <Navigate to="/collection/dashboard" replace /> : <Loaded id={id} onGone={() => setGone(true)} />
}

function Loaded({ id, onGone }: { id: number; onGone: () => void }) {
  const { data, error, refetch } = useTrashedEnvironments(id)
  const collection = useQuery(collectionQuery(useQueryClient(), id)).data
  const name = collection?.name
  const canPurge = collection !== undefined && allows(collection.role, "owner")
  const restore = useRestoreEnvironment(id)
  const purge = usePurgeEnvironment()
  const empty = useEmptyEnvironments()
  const total = data?.total ?? 0
  // The screen of a collection says that it is not there.
  if (error instanceof ApiError && error.status === 404) return <Navigate to={`/collection/${id}`} replace />
  return (
    <Page
      title="Trash"
      lead="Deleted environments, with their items. Their API keys do not work until you restore them."
      breadcrumb={<Breadcrumb to={`/collection/${id}`}>{name ?? "Collection"}</Breadcrumb>}
      actions={
        total > 0 &&
        canPurge && (
          <EmptyTrash
            contents={countedOrNone(total, "environment")}
            name={collection.name}
            label="Type the name of the collection"
            empty={(typed, onRefused) => empty({ id, name: typed }, onRefused)}
          />
        )
      }
    >
      {collection !== undefined && <FollowCollection id={id} onGone={onGone} />}
      {data !== undefined && (
        <TrashList
          what="environment"
          entries={data.entries}
          total={total}
          contents={contents}
          restore={(entry) => restore({ id: entry.id })}
          purge={canPurge ? (entry, typed, onRefused) => purge({ id: entry.id, name: typed }, onRefused) : undefined}
        />
      )}
      {data === undefined && error === null && <Spinner />}
      {data === undefined && error !== null && (
        <LoadFailed title="The trash could not be loaded" message={error.message} onRetry={refetch} />
      )}
    </Page>
  )
}

const contents = ({ itemCount }: TrashedEnvironment) => countedOrNone(itemCount, "item")
