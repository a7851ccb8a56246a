import { useState } from "react"
import { Navigate, useParams } from "react-router"
import { FollowCollection } from "../../lib/FollowCollection.tsx"
import { Breadcrumb } from "../../ui/Breadcrumb.tsx"
import { LoadFailed } from "../../ui/LoadFailed.tsx"
import { Page } from "../../ui/Page.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { Activity } from "./Activity.tsx"
import { KeyReadsSection } from "./KeyReadsSection.tsx"
import { useCollectionNames } from "./queries.ts"

const kinds = ["items", "environments", "people", "keys", "webhooks", "collections"] as const

export function CollectionActivityScreen() {
  const { id = "" } = useParams()
  if (!/^[1-9]\d{0,14}$/.test(id)) return <Navigate to="/collection/dashboard" replace />
  return <CollectionActivity key={id} id={Number(id)} />
}

function CollectionActivity({ id }: { id: number }) {
  const [isGone, setGone] = useState(false)
  return isGone ? <Navigate to="/collection/dashboard" replace /> : <Loaded id={id} onGone={() => setGone(true)} />
}

function Loaded({ id, onGone }: { id: number; onGone: () => void }) {
  const { data, error, refetch } = useCollectionNames(id)
  if (data === undefined) {
    if (error === null) return <Spinner />
    return (
      <div className="page">
        <LoadFailed title="The activity could not be loaded" message={error.message} isPage onRetry={refetch} />
      </div>
    )
  }
  return (
    <Page
      title="Activity"
      lead={`Who changed what in ${data.name}. Values are never part of it.`}
      breadcrumb={<Breadcrumb to={`/collection/${id}`}>{data.name}</Breadcrumb>}
    >
      <FollowCollection id={id} onGone={onGone} />
      <Activity scope={{ of: "collection", id }} kinds={kinds} environments={data.environments} byPerson />
      <KeyReadsSection collectionId={id} environments={data.environments} />
    </Page>
  )
}
