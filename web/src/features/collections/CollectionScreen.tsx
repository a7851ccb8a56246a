import { allows, type Collection } from "@envkeep/contract"
import { Button } from "@mantine/core"
import { IconStack2 } from "@tabler/icons-react"
import { useState } from "react"
import { Link, Navigate, useParams } from "react-router"
import { ApiError } from "../../lib/api.ts"
import { useUser } from "../../lib/state.ts"
import { useLiveCollection } from "../../lib/use-live-collection.ts"
import { Breadcrumb } from "../../ui/Breadcrumb.tsx"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { LoadFailed } from "../../ui/LoadFailed.tsx"
import { PageTitle } from "../../ui/PageTitle.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { UnsavedGuard } from "../../ui/unsaved.tsx"
import { EnvironmentList } from "../environments/EnvironmentList.tsx"
import { useTrashedEnvironments } from "../trash/queries.ts"
import { TrashLink } from "../trash/TrashLink.tsx"
import { CollectionHeader } from "./CollectionHeader.tsx"
import { useCollection } from "./queries.ts"

export function CollectionScreen() {
  const { id = "" } = useParams()
  if (!/^[1-9]\d{0,14}$/.test(id)) return <Navigate to="/collection/dashboard" replace />
  // A key, so that text typed for one collection never ends up in another.
  return <OneCollection key={id} id={Number(id)} />
}

/** Leaves without a question about unsaved edits: they could not be saved any more. */
function OneCollection({ id }: { id: number }) {
  const [isGone, setGone] = useState(false)
  return isGone ? <Navigate to="/collection/dashboard" replace /> : <Loaded id={id} onGone={() => setGone(true)} />
}

function Loaded({ id, onGone }: { id: number; onGone: () => void }) {
  const { data, error, refetch } = useCollection(id)
  const signedIn = useUser() !== null
  // A collection that was deleted elsewhere must not be shown from the cache.
  if (error instanceof ApiError && error.status === 404) return <Gone message={error.message} />
  if (data !== undefined) {
    return (
      <UnsavedGuard active={signedIn}>
        <Content collection={data} onGone={onGone} />
      </UnsavedGuard>
    )
  }
  if (error === null) return <Spinner />
  return (
    <div className="page">
      <LoadFailed title="This collection could not be loaded" message={error.message} onRetry={refetch} />
    </div>
  )
}

function Content({ collection, onGone }: { collection: Collection; onGone: () => void }) {
  const { id, role } = collection
  useLiveCollection(id, onGone)
  const { data: trashed } = useTrashedEnvironments(id, {
    isAllowed: allows(role, "maintainer"),
    isFollowed: true,
  })
  return (
    <div className="page">
      <PageTitle>{collection.name}</PageTitle>
      <Breadcrumb to="/collection/dashboard">Dashboard</Breadcrumb>
      <CollectionHeader collection={collection} />
      <EnvironmentList collectionId={id} role={role} environments={collection.subCollections} />
      <div className="trash-link">
        <TrashLink to={`/collection/${id}/trash`} total={trashed?.total} />
      </div>
    </div>
  )
}

function Gone({ message }: { message: string }) {
  return (
    <div className="page">
      <PageTitle>{message}</PageTitle>
      <EmptyState icon={<Icon shape={IconStack2} />} title="This collection is not available" isPage>
        <p>It was deleted, or it is not shared with you. What you deleted yourself is in the trash for a while.</p>
        <Button component={Link} to="/collection/dashboard" variant="default">
          Back to the dashboard
        </Button>
      </EmptyState>
    </div>
  )
}
