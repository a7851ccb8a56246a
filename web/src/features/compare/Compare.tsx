import { allows, type Collection } from "@envkeep/contract"
import { Button } from "@mantine/core"
import { IconColumns3 } from "@tabler/icons-react"
import { Link } from "react-router"
import { useLiveCollection } from "../../lib/use-live-collection.ts"
import { Breadcrumb } from "../../ui/Breadcrumb.tsx"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { PageTitle } from "../../ui/PageTitle.tsx"
import { SideBySide } from "./SideBySide.tsx"
import "./compare.css"

interface CompareProps {
  collection: Collection
  onGone: () => void
}

export function Compare({ collection, onGone }: CompareProps) {
  const { id, name, role, subCollections } = collection
  useLiveCollection(id, onGone)
  return (
    <div className="page compare">
      <PageTitle>{`Compare ${name}`}</PageTitle>
      <Breadcrumb to={`/collection/${id}`}>{name}</Breadcrumb>
      {subCollections.length < 2 ? (
        <EmptyState isPage icon={<Icon shape={IconColumns3} />} title="Nothing to compare yet">
          <p>
            {allows(role, "maintainer")
              ? "Create a second environment to see both side by side."
              : "As soon as this collection has two environments, they are shown side by side."}
          </p>
          <Button component={Link} to={`/collection/${id}`} variant="default">
            Go to the environments
          </Button>
        </EmptyState>
      ) : (
        <SideBySide collection={collection} />
      )}
    </div>
  )
}
