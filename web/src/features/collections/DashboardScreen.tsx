import { Button, Text } from "@mantine/core"
import { IconPlus, IconSearch, IconUsersGroup } from "@tabler/icons-react"
import { useQuery } from "@tanstack/react-query"
import { lazy, Suspense, useDeferredValue, useRef, useState } from "react"
import { Link } from "react-router"
import { collectionsQuery } from "../../lib/state.ts"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { LoadFailed } from "../../ui/LoadFailed.tsx"
import { Page } from "../../ui/Page.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { TrashLink } from "../trash/TrashLink.tsx"
import { useTrashedCollections } from "../trash/trashed-collections.ts"
import { arrange } from "./arrange.ts"
import { CollectionCard } from "./CollectionCard.tsx"
import { DashboardTools, useSortOrder } from "./DashboardTools.tsx"
import { useTransferRequests } from "./transfer-requests.ts"
import "./dashboard.css"

// Few users are asked, so it is not in the first load.
const TransferRequests = lazy(async () => ({
  default: (await import("./sharing/TransferRequests.tsx")).TransferRequests,
}))

export function DashboardScreen() {
  const { data, error, isFetching, refetch } = useQuery(collectionsQuery)
  const { data: trashed } = useTrashedCollections()
  const { data: requests = [] } = useTransferRequests()
  const collections = data ?? []
  const [filter, setFilter] = useState("")
  const [order, setOrder] = useSortOrder()
  const filterField = useRef<HTMLInputElement>(null)
  const shown = arrange(collections, useDeferredValue(filter.trim()), order)

  function clearFilter() {
    setFilter("")
    filterField.current?.focus()
  }
  return (
    <Page
      title="Collections"
      lead="One for each app, with one environment for each place it runs."
      actions={
        <div className="dashboard-links">
          <Button
            component={Link}
            to="/user/teams"
            variant="subtle"
            color="gray"
            leftSection={<Icon shape={IconUsersGroup} />}
          >
            Teams
          </Button>
          <TrashLink to="/collection/trash" total={trashed?.total} />
        </div>
      }
    >
      {requests.length > 0 && (
        <Suspense>
          <TransferRequests requests={requests} />
        </Suspense>
      )}
      {collections.length > 1 && (
        <DashboardTools
          filter={filter}
          filterField={filterField}
          order={order}
          shown={shown.length}
          total={collections.length}
          onFilter={setFilter}
          onOrder={setOrder}
        />
      )}
      <ul className="collection-grid">
        <li>
          <Link to="/collection/new" className="collection-card collection-card--new">
            <span className="collection-card__plus">
              <Icon shape={IconPlus} />
            </span>
            <h2>New Collection</h2>
            {collections.length === 0 && !isFetching && error === null && (
              <Text size="sm" c="dimmed">
                Name your first app, then add an environment such as production.
              </Text>
            )}
          </Link>
        </li>
        {shown.map((collection) => (
          <li key={collection.id}>
            <CollectionCard collection={collection} />
          </li>
        ))}
        {collections.length === 0 && isFetching && (
          <li>
            <Spinner />
          </li>
        )}
      </ul>
      {collections.length > 0 && shown.length === 0 && (
        <EmptyState icon={<Icon shape={IconSearch} />} title="No collection matches the filter">
          <p>It searches names, descriptions and environments.</p>
          <Button variant="default" onClick={clearFilter}>
            Clear the filter
          </Button>
        </EmptyState>
      )}
      {collections.length === 0 && error !== null && !isFetching && (
        <LoadFailed title="Your collections could not be loaded" message={error.message} onRetry={refetch} />
      )}
    </Page>
  )
}
