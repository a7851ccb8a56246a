import type { CollectionSummary } from "@envkeep/contract"
import { Text } from "@mantine/core"
import { Link } from "react-router"

export function CollectionCard({ collection }: { collection: CollectionSummary }) {
  const { id, name, description, subCollections: environments } = collection
  return (
    <Link to={`/collection/${id}`} className="collection-card">
      <h2 className="breaks-anywhere">{name}</h2>
      <Text size="sm" c="dimmed" lineClamp={2} className="breaks-anywhere">
        {description === "" ? "No description" : description}
      </Text>
      <span className="collection-card__environments">
        {environments.length === 0 ? (
          <span className="chip chip--quiet">No environments yet</span>
        ) : (
          environments.slice(0, 3).map((environment) => (
            <span key={environment.id} className="chip">
              {environment.name}
            </span>
          ))
        )}
        {environments.length > 3 && <span className="chip chip--quiet">{`+${environments.length - 3}`}</span>}
      </span>
    </Link>
  )
}
