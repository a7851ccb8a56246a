import type { Collection, KeyLeak } from "@envkeep/contract"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { Navigate, useParams } from "react-router"
import { ApiError } from "../../lib/api.ts"
import { collectionQuery } from "../../lib/collection-query.ts"
import { useLiveCollection } from "../../lib/use-live-collection.ts"
import { Breadcrumb } from "../../ui/Breadcrumb.tsx"
import { LoadFailed } from "../../ui/LoadFailed.tsx"
import { Page } from "../../ui/Page.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { LeakedNames } from "./LeakedNames.tsx"
import { Networks } from "./Networks.tsx"
import { useKeyLeak } from "./queries.ts"
import { StopKey } from "./StopKey.tsx"
import "./leak.css"

const isId = (text: string) => /^[1-9]\d{0,14}$/.test(text)

/** What to do about a key that leaked. */
export function KeyLeakScreen() {
  const { id = "", apiKeyId = "" } = useParams()
  if (!isId(id) || !isId(apiKeyId)) return <Navigate to="/collection/dashboard" replace />
  return <OneLeak key={apiKeyId} collectionId={Number(id)} apiKeyId={Number(apiKeyId)} />
}

interface Ids {
  collectionId: number
  apiKeyId: number
}

function OneLeak({ collectionId, apiKeyId }: Ids) {
  const [isGone, setGone] = useState(false)
  useLiveCollection(collectionId, () => setGone(true))
  const { data: collection, error: refused } = useQuery(collectionQuery(useQueryClient(), collectionId))
  const { data, error, refetch } = useKeyLeak(apiKeyId, versionOf(collection, apiKeyId))
  if (isGone) return <Navigate to="/collection/dashboard" replace />
  const failure = error ?? refused
  if (failure instanceof ApiError && failure.status === 404) return <Navigate to="/collection/dashboard" replace />
  if (data !== undefined && data.collectionId === collectionId) return <Content leak={data} />
  if (failure === null) return <Spinner />
  return (
    <div className="page">
      <LoadFailed title="The key could not be loaded" message={failure.message} isPage onRetry={refetch} />
    </div>
  )
}

/** Everything that the page depends on: the revisions of the environments, and how the key is. */
function versionOf(collection: Collection | undefined, apiKeyId: number): string | undefined {
  if (collection === undefined) return undefined
  const apiKey = collection.subCollections.flatMap(({ apiKeys }) => apiKeys).find(({ id }) => id === apiKeyId)
  const revisions = collection.subCollections.map(({ id, revision }) => `${id}:${revision}`)
  return [...revisions, apiKey?.disabledAt, apiKey?.expiresAt].join(" ")
}

function Content({ leak }: { leak: KeyLeak }) {
  const { apiKey, subCollectionName, collectionId, collectionName } = leak
  return (
    <Page
      title={`If ${apiKey.name} leaked`}
      lead={`It reads ${subCollectionName} in ${collectionName}. Work through the list: it keeps itself up to date.`}
      breadcrumb={
        <Breadcrumb to={`/collection/${collectionId}?env=${apiKey.subCollectionId}`}>{collectionName}</Breadcrumb>
      }
      narrow
    >
      <StopKey leak={leak} />
      <LeakedNames leak={leak} />
      <Networks leak={leak} />
    </Page>
  )
}
