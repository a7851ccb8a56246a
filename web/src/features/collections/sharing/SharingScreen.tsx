import { allows, type Collection } from "@envkeep/contract"
import { useState } from "react"
import { Navigate, useParams } from "react-router"
import { ApiError } from "../../../lib/api.ts"
import { useLiveCollection } from "../../../lib/use-live-collection.ts"
import { Breadcrumb } from "../../../ui/Breadcrumb.tsx"
import { LoadFailed } from "../../../ui/LoadFailed.tsx"
import { Page } from "../../../ui/Page.tsx"
import { Spinner } from "../../../ui/Spinner.tsx"
import { InvitationSection } from "../../invitations/InvitationSection.tsx"
import { useCollection } from "../queries.ts"
import { useTransferRequests } from "../transfer-requests.ts"
import { OwnershipSection } from "./OwnershipSection.tsx"
import { PeopleSection } from "./PeopleSection.tsx"
import { useMembers } from "./queries.ts"
import { RoleTable } from "./RoleTable.tsx"
import { TeamSection } from "./TeamSection.tsx"
import { TransferRequests } from "./TransferRequests.tsx"

/** Who a collection is shared with. */
export function SharingScreen() {
  const { id = "" } = useParams()
  if (!/^[1-9]\d{0,14}$/.test(id)) return <Navigate to="/collection/dashboard" replace />
  return <Sharing key={id} id={Number(id)} />
}

function Sharing({ id }: { id: number }) {
  const [isGone, setGone] = useState(false)
  return isGone ? <Navigate to="/collection/dashboard" replace /> : <Loaded id={id} onGone={() => setGone(true)} />
}

function Loaded({ id, onGone }: { id: number; onGone: () => void }) {
  const { data, error, refetch } = useCollection(id)
  // The screen of a collection says that it is not there.
  if (error instanceof ApiError && error.status === 404) return <Navigate to={`/collection/${id}`} replace />
  if (data !== undefined) return <Content collection={data} onGone={onGone} />
  if (error === null) return <Spinner />
  return (
    <div className="page">
      <LoadFailed title="This collection could not be loaded" message={error.message} isPage onRetry={refetch} />
    </div>
  )
}

function Content({ collection, onGone }: { collection: Collection; onGone: () => void }) {
  const { id, name, role } = collection
  useLiveCollection(id, onGone)
  const { data, error, refetch } = useMembers(id)
  const { data: requests = [] } = useTransferRequests()
  const own = requests.filter(({ collectionId }) => collectionId === id)
  const canManage = allows(role, "maintainer")
  return (
    <Page
      title="Sharing"
      lead={`Who can use ${name}, and what they may do.`}
      breadcrumb={<Breadcrumb to={`/collection/${id}`}>{name}</Breadcrumb>}
      narrow
    >
      {own.length > 0 && <TransferRequests requests={own} />}
      <RoleTable role={role} />
      {data === undefined && error === null && <Spinner />}
      {data === undefined && error !== null && (
        <LoadFailed title="The members could not be loaded" message={error.message} onRetry={refetch} />
      )}
      {data !== undefined && (
        <>
          <PeopleSection collection={collection} people={data.people} />
          <TeamSection collection={collection} teams={data.teams} />
          {canManage && <InvitationSection scope={{ of: "collection", id }} role={role} />}
          <OwnershipSection collection={collection} people={data.people} />
        </>
      )}
    </Page>
  )
}
