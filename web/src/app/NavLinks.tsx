import { Link, useLocation } from "react-router"
import { isCurrent, type NavLink } from "./nav-links.ts"

export function NavLinks({ links, onChoose }: { links: NavLink[]; onChoose?: () => void }) {
  const { pathname } = useLocation()
  return (
    <ul>
      {links.map((link) => (
        <li key={link.to}>
          <Link
            to={link.to}
            className="nav-bar__link"
            aria-current={isCurrent(link, pathname) ? "page" : undefined}
            onClick={onChoose}
          >
            {link.label}
          </Link>
        </li>
      ))}
    </ul>
  )
}
