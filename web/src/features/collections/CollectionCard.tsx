import type { CollectionSummary } from "@envkeep/contract"
import { Text } from "@mantine/core"
import { IconUsers } from "@tabler/icons-react"
import { Link } from "react-router"
import { roleWords } from "../../lib/roles.ts"
import { TimeAgo } from "../../lib/TimeAgo.tsx"
import { Icon } from "../../ui/Icon.tsx"

const maxChips = 2

export function CollectionCard({ collection }: { collection: CollectionSummary }) {
  const { id, name, description, changedAt, role, subCollections: environments } = collection
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
      {(changedAt !== null || role !== "owner") && (
        <Text size="xs" c="dimmed" component="span" className="collection-card__foot">
          {changedAt !== null && (
            <span>
              Changed <TimeAgo at={changedAt} />
            </span>
          )}
          {role !== "owner" && (
            <span className="collection-card__role" title={`Shared with you. ${roleWords[role].does}`}>
              <Icon shape={IconUsers} />
              {roleWords[role].label}
            </span>
          )}
        </Text>
      )}
    </Link>
  )
}
