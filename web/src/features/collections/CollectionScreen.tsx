import type { Collection } from "@envkeep/contract"
import { Button } from "@mantine/core"
import { IconStack2 } from "@tabler/icons-react"
import { Link, Navigate, useParams } from "react-router"
import { ApiError } from "../../lib/api.ts"
import { useUser } from "../../lib/state.ts"
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
import { useLiveCollection } from "./use-live-collection.ts"

export function CollectionScreen() {
  const { id = "" } = useParams()
  if (!/^[1-9]\d{0,14}$/.test(id)) return <Navigate to="/collection/dashboard" replace />
  // A key, so that text typed for one collection never ends up in another.
  return <Loaded key={id} id={Number(id)} />
}

function Loaded({ id }: { id: number }) {
  const { data, error, refetch } = useCollection(id)
  const signedIn = useUser() !== null
  // A collection that was deleted elsewhere must not be shown from the cache.
  if (error instanceof ApiError && error.status === 404) return <Gone message={error.message} />
  if (data !== undefined) {
    return (
      <UnsavedGuard active={signedIn}>
        <Content collection={data} />
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

function Content({ collection }: { collection: Collection }) {
  useLiveCollection(collection.id)
  const { data: trashed } = useTrashedEnvironments(collection.id)
  return (
    <div className="page">
      <PageTitle>{collection.name}</PageTitle>
      <Breadcrumb to="/collection/dashboard">Dashboard</Breadcrumb>
      <CollectionHeader collection={collection} />
      <EnvironmentList collectionId={collection.id} environments={collection.subCollections} />
      <div className="trash-link">
        <TrashLink to={`/collection/${collection.id}/trash`} total={trashed?.total} />
      </div>
    </div>
  )
}

function Gone({ message }: { message: string }) {
  return (
    <div className="page">
      <PageTitle>{message}</PageTitle>
      <EmptyState icon={<Icon shape={IconStack2} />} title="This collection is not available" isPage>
        <p>It was deleted, or it belongs to another account. What you deleted yourself is in the trash for a while.</p>
        <Button component={Link} to="/collection/dashboard" variant="default">
          Back to the dashboard
        </Button>
      </EmptyState>
    </div>
  )
}
