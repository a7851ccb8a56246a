import { Text } from "@mantine/core"
import { IconPlus } from "@tabler/icons-react"
import { Link } from "react-router"
import { Icon } from "../../ui/Icon.tsx"
import { LoadFailed } from "../../ui/LoadFailed.tsx"
import { Page } from "../../ui/Page.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { CollectionCard } from "./CollectionCard.tsx"
import { useCollections } from "./queries.ts"
import "./dashboard.css"

export function DashboardScreen() {
  const { data, error, isFetching, refetch } = useCollections()
  const collections = data ?? []
  return (
    <Page title="Collections" lead="One for each app, with one environment for each place it runs.">
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
        {collections.map((collection) => (
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
      {collections.length === 0 && error !== null && !isFetching && (
        <LoadFailed title="Your collections could not be loaded" message={error.message} onRetry={refetch} />
      )}
    </Page>
  )
}
