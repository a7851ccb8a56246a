import { Anchor } from "@mantine/core"
import { Link } from "react-router"
import { ChevronIcon } from "./icons.tsx"

/** The way back up, above the heading of a page. */
export function Trail({ to, children }: { to: string; children: string }) {
  return (
    <nav aria-label="Breadcrumb" className="trail">
      <Anchor component={Link} to={to} size="sm">
        <ChevronIcon />
        {children}
      </Anchor>
    </nav>
  )
}
