import type { Item } from "@envkeep/contract"
import { Link, useLocation } from "react-router"
import { environmentAddress } from "../../lib/arrival.ts"

interface BaseLinkProps {
  collectionId: number
  /** The item as the base has it. */
  item: Item
  environmentName: string
}

/** Leads to the item in the environment that sets it. */
export function BaseLink({ collectionId, item, environmentName }: BaseLinkProps) {
  const here = useLocation()
  const place = { collectionId, environmentId: item.subCollectionId }
  return (
    <Link
      to={environmentAddress(place, { item: item.name }, here)}
      preventScrollReset
      className="base-link"
      title={environmentName}
    >
      {environmentName}
    </Link>
  )
}
