import type { Environment } from "@envkeep/contract"
import { IconGitFork } from "@tabler/icons-react"
import { Link, useLocation } from "react-router"
import { environmentAddress } from "../../../lib/arrival.ts"
import { Icon } from "../../../ui/Icon.tsx"

/** What an environment inherits from. It leads there. */
export function BaseChip({ base }: { base: Environment }) {
  const here = useLocation()
  const words = `Inherits from ${base.name}`
  return (
    <Link
      to={environmentAddress({ collectionId: base.collectionId, environmentId: base.id }, {}, here)}
      preventScrollReset
      className="chip chip--base"
      title={words}
      aria-label={words}
    >
      <Icon shape={IconGitFork} />
      <span>{words}</span>
    </Link>
  )
}
