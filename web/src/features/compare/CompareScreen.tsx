import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { Navigate, useParams } from "react-router"
import { ApiError } from "../../lib/api.ts"
import { collectionQuery } from "../../lib/collection-query.ts"
import { useUser } from "../../lib/state.ts"
import { LoadFailed } from "../../ui/LoadFailed.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { UnsavedGuard } from "../../ui/unsaved.tsx"
import { useNames } from "../names/queries.ts"
import { Compare } from "./Compare.tsx"

/** The environments of a collection side by side. */
export function CompareScreen() {
  const { id = "" } = useParams()
  if (!/^[1-9]\d{0,14}$/.test(id)) return <Navigate to="/collection/dashboard" replace />
  return <OneCollection key={id} id={Number(id)} />
}

/** Leaves without a question about unsaved edits: they could not be saved any more. */
function OneCollection({ id }: { id: number }) {
  const [isGone, setGone] = useState(false)
  return isGone ? <Navigate to="/collection/dashboard" replace /> : <Loaded id={id} onGone={() => setGone(true)} />
}

function Loaded({ id, onGone }: { id: number; onGone: () => void }) {
  const { data, error, refetch } = useQuery(collectionQuery(useQueryClient(), id))
  // Asked for at the same time, so that the grid is not made twice.
  useNames(id)
  const signedIn = useUser() !== null
  // The screen of a collection says that it is not there.
  if (error instanceof ApiError && error.status === 404) return <Navigate to={`/collection/${id}`} replace />
  if (data !== undefined) {
    return (
      <UnsavedGuard active={signedIn}>
        <Compare collection={data} onGone={onGone} />
      </UnsavedGuard>
    )
  }
  if (error === null) return <Spinner />
  return (
    <div className="page">
      <LoadFailed title="This collection could not be loaded" message={error.message} isPage onRetry={refetch} />
    </div>
  )
}
