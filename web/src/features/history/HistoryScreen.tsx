import { allows, type Collection, type Environment } from "@envkeep/contract"
import { Button } from "@mantine/core"
import { IconHistory, IconLock } from "@tabler/icons-react"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { Link, Navigate, useParams, useSearchParams } from "react-router"
import { ApiError } from "../../lib/api.ts"
import { collectionQuery } from "../../lib/collection-query.ts"
import { whyHidden } from "../../lib/roles.ts"
import { useLiveCollection } from "../../lib/use-live-collection.ts"
import { Breadcrumb } from "../../ui/Breadcrumb.tsx"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { LoadFailed } from "../../ui/LoadFailed.tsx"
import { Page } from "../../ui/Page.tsx"
import { PageTitle } from "../../ui/PageTitle.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import type { OnItem } from "./ChangeList.tsx"
import { Comparison } from "./Comparison.tsx"
import { readCompared } from "./changes.ts"
import { ItemHistoryDialog } from "./ItemHistoryDialog.tsx"
import { RestoreDialog } from "./RestoreDialog.tsx"
import { Timeline } from "./Timeline.tsx"
import "./history.css"

const isId = (text: string) => /^[1-9]\d{0,14}$/.test(text)

export function HistoryScreen() {
  const { id = "", environmentId = "" } = useParams()
  if (!isId(id) || !isId(environmentId)) return <Navigate to="/collection/dashboard" replace />
  return <OneHistory key={environmentId} id={Number(id)} environmentId={Number(environmentId)} />
}

function OneHistory(ids: { id: number; environmentId: number }) {
  const [isGone, setGone] = useState(false)
  return isGone ? <Navigate to="/collection/dashboard" replace /> : <Loaded {...ids} onGone={() => setGone(true)} />
}

function Loaded({ id, environmentId, onGone }: { id: number; environmentId: number; onGone: () => void }) {
  const { data, error, refetch } = useQuery(collectionQuery(useQueryClient(), id))
  const isGone = error instanceof ApiError && error.status === 404
  const environment = isGone ? undefined : data?.subCollections.find((one) => one.id === environmentId)
  if (data !== undefined && environment !== undefined) {
    return <Content collection={data} environment={environment} onGone={onGone} />
  }
  if (isGone || data !== undefined) return <Gone />
  if (error === null) return <Spinner />
  return (
    <div className="page">
      <LoadFailed title="The history could not be loaded" message={error.message} isPage onRetry={refetch} />
    </div>
  )
}

interface ContentProps {
  collection: Collection
  environment: Environment
  onGone: () => void
}

function Content({ collection, environment, onGone }: ContentProps) {
  const { role } = collection
  useLiveCollection(collection.id, onGone)
  const [params] = useSearchParams()
  const compared = readCompared(params.get("compare"))
  const [name, setName] = useState<string>()
  const [inheritedFrom, setInheritedFrom] = useState<number>()
  const nameIn = collection.subCollections.find(({ id }) => id === inheritedFrom) ?? environment
  const showName: OnItem = (chosen, from) => {
    setInheritedFrom(from)
    setName(chosen)
  }
  const [restoring, setRestoring] = useState<number>()
  const onRestore = allows(role, "editor", environment) ? setRestoring : undefined
  const path = `/collection/${collection.id}`
  const hiddenNote = environment.valuesHidden && (
    <p className="history-hidden">
      <Icon shape={IconLock} />
      {whyHidden(role, environment)}
    </p>
  )
  return (
    <>
      {compared === undefined ? (
        <Page
          title={`History of ${environment.name}`}
          lead="Every change of its name and items. A restore is a new revision, so nothing is ever lost."
          breadcrumb={<Breadcrumb to={`${path}?env=${environment.id}`}>{collection.name}</Breadcrumb>}
        >
          {hiddenNote}
          <Timeline environment={environment} onRestore={onRestore} onItem={showName} />
        </Page>
      ) : (
        <Page
          title={`Compare revisions ${compared[0]} and ${compared[1]}`}
          lead={`What changed in ${environment.name} from the earlier one to the later one.`}
          breadcrumb={
            <Breadcrumb to={`${path}/history/${environment.id}`}>{`History of ${environment.name}`}</Breadcrumb>
          }
        >
          {hiddenNote}
          <Comparison
            environment={environment}
            earlier={compared[0]}
            later={compared[1]}
            onRestore={onRestore}
            onItem={showName}
          />
        </Page>
      )}
      <RestoreDialog environment={environment} revision={restoring} onClose={() => setRestoring(undefined)} />
      <ItemHistoryDialog
        environment={nameIn}
        isOther={nameIn.id !== environment.id}
        role={role}
        name={name}
        onChange={setName}
      />
    </>
  )
}

function Gone() {
  return (
    <div className="page">
      <PageTitle>Environment not found</PageTitle>
      <EmptyState icon={<Icon shape={IconHistory} />} title="This environment is not available" isPage>
        <p>It was deleted, or it is not shared with you.</p>
        <Button component={Link} to="/collection/dashboard" variant="default">
          Back to the dashboard
        </Button>
      </EmptyState>
    </div>
  )
}
