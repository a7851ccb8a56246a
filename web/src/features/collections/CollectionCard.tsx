import type { CollectionSummary } from "@envkeep/contract"
import { Text } from "@mantine/core"
import { Link } from "react-router"
import { relativeTime } from "../../lib/relative-time.ts"

const maxChips = 2

export function CollectionCard({ collection }: { collection: CollectionSummary }) {
  const { id, name, description, changedAt, subCollections: environments } = collection
  return (
    <Link to={`/collection/${id}`} className="collection-card">
      <h2 className="breaks-anywhere">{name}</h2>
      <Text size="sm" c="dimmed" lineClamp={1} className="breaks-anywhere">
        {description === "" ? "No description" : description}
      </Text>
      <span className="collection-card__environments">
        {environments.length === 0 ? (
          <span className="chip chip--quiet">No environments yet</span>
        ) : (
          environments.slice(0, maxChips).map((environment) => (
            <span key={environment.id} className="chip chip--cut" title={environment.name}>
              {environment.name}
            </span>
          ))
        )}
        {environments.length > maxChips && (
          <span className="chip chip--quiet">{`+${environments.length - maxChips}`}</span>
        )}
      </span>
      {changedAt !== null && (
        <Text size="xs" c="dimmed" component="span">
          {"Changed "}
          <time dateTime={changedAt} title={new Date(changedAt).toLocaleString()}>
            {relativeTime(changedAt)}
          </time>
        </Text>
      )}
    </Link>
  )
}
