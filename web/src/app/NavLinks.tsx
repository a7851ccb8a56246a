import { Link, useLocation } from "react-router"
import { useUser } from "../lib/state.ts"
import { isCurrent, navLinks } from "./nav-links.ts"

export function NavLinks({ onChoose }: { onChoose?: () => void }) {
  const { pathname } = useLocation()
  return (
    <ul>
      {navLinks(useUser()).map((link) => (
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
