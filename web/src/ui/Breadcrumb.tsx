import { Anchor } from "@mantine/core"
import { IconChevronLeft } from "@tabler/icons-react"
import { Link } from "react-router"
import { Icon } from "./Icon.tsx"

/** A link to the page above, shown over the heading. */
export function Breadcrumb({ to, children }: { to: string; children: string }) {
  return (
    <nav aria-label="Breadcrumb" className="breadcrumb">
      <Anchor component={Link} to={to} size="sm">
        <Icon shape={IconChevronLeft} />
        <span>{children}</span>
      </Anchor>
    </nav>
  )
}
