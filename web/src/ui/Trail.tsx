import { Anchor } from "@mantine/core"
import { IconChevronLeft } from "@tabler/icons-react"
import { Link } from "react-router"
import { Icon } from "./Icon.tsx"

/** The way back up, above the heading of a page. */
export function Trail({ to, children }: { to: string; children: string }) {
  return (
    <nav aria-label="Breadcrumb" className="trail">
      <Anchor component={Link} to={to} size="sm">
        <Icon shape={IconChevronLeft} />
        {children}
      </Anchor>
    </nav>
  )
}
