import type { Collection, EnvironmentSummary } from "@envkeep/contract"
import { Button } from "@mantine/core"
import { IconHistory } from "@tabler/icons-react"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { Link, Navigate, useParams, useSearchParams } from "react-router"
import { ApiError } from "../../lib/api.ts"
import { collectionQuery } from "../../lib/state.ts"
import { Breadcrumb } from "../../ui/Breadcrumb.tsx"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { LoadFailed } from "../../ui/LoadFailed.tsx"
import { Page } from "../../ui/Page.tsx"
import { PageTitle } from "../../ui/PageTitle.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { Comparison } from "./Comparison.tsx"
import { readCompared } from "./changes.ts"
import { ItemHistoryDialog, type ItemHistoryOf } from "./ItemHistoryDialog.tsx"
import { RestoreDialog } from "./RestoreDialog.tsx"
import { Timeline } from "./Timeline.tsx"
import "./history.css"

const isId = (text: string) => /^[1-9]\d{0,14}$/.test(text)

export function HistoryScreen() {
  const { id = "", environmentId = "" } = useParams()
  if (!isId(id) || !isId(environmentId)) return <Navigate to="/collection/dashboard" replace />
  return <Loaded key={environmentId} id={Number(id)} environmentId={Number(environmentId)} />
}

function Loaded({ id, environmentId }: { id: number; environmentId: number }) {
  const { data, error, refetch } = useQuery(collectionQuery(useQueryClient(), id))
  const isGone = error instanceof ApiError && error.status === 404
  const environment = isGone ? undefined : data?.subCollections.find((one) => one.id === environmentId)
  if (data !== undefined && environment !== undefined) return <Content collection={data} environment={environment} />
  if (isGone || data !== undefined) return <Gone />
  if (error === null) return <Spinner />
  return (
    <div className="page">
      <LoadFailed title="The history could not be loaded" message={error.message} isPage onRetry={refetch} />
    </div>
  )
}

function Content({ collection, environment }: { collection: Collection; environment: EnvironmentSummary }) {
  const [params] = useSearchParams()
  const compared = readCompared(params.get("compare"))
  const [item, setItem] = useState<ItemHistoryOf>()
  const [restoring, setRestoring] = useState<number>()
  const onItem = (name: string) =>
    setItem({ environmentId: environment.id, collectionId: environment.collectionId, name })
  const path = `/collection/${collection.id}`
  return (
    <>
      {compared === undefined ? (
        <Page
          title={`History of ${environment.name}`}
          lead="Every change of its name and items. A restore is a new revision, so nothing is ever lost."
          breadcrumb={<Breadcrumb to={`${path}?env=${environment.id}`}>{collection.name}</Breadcrumb>}
        >
          <Timeline environment={environment} onRestore={setRestoring} onItem={onItem} />
        </Page>
      ) : (
        <Page
          title={`Compare revisions ${compared[0]} and ${compared[1]}`}
          lead={`What changed in ${environment.name} from the earlier one to the later one.`}
          breadcrumb={
            <Breadcrumb to={`${path}/history/${environment.id}`}>{`History of ${environment.name}`}</Breadcrumb>
          }
        >
          <Comparison
            environment={environment}
            earlier={compared[0]}
            later={compared[1]}
            onRestore={setRestoring}
            onItem={onItem}
          />
        </Page>
      )}
      <RestoreDialog environment={environment} revision={restoring} onClose={() => setRestoring(undefined)} />
      <ItemHistoryDialog item={item} onChange={setItem} />
    </>
  )
}

function Gone() {
  return (
    <div className="page">
      <PageTitle>Environment not found</PageTitle>
      <EmptyState icon={<Icon shape={IconHistory} />} title="This environment is not available" isPage>
        <p>It was deleted, or it belongs to another account.</p>
        <Button component={Link} to="/collection/dashboard" variant="default">
          Back to the dashboard
        </Button>
      </EmptyState>
    </div>
  )
}
