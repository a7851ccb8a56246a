import type { ReactNode } from "react"
import { Link } from "react-router"
import { Logo } from "../ui/Logo.tsx"
import { NavLinks } from "./NavLinks.tsx"
import type { NavLink } from "./nav-links.ts"
import "./nav-bar.css"

interface BarProps {
  links: NavLink[]
  /** The tools at its end. */
  children: ReactNode
  /** The same links for a narrow screen. */
  menu: ReactNode
}

/** The navigation bar as it looks, in the app and on the first page. */
export function Bar({ links, children, menu }: BarProps) {
  return (
    <header className="nav-bar">
      <div className="nav-bar__inner">
        <Link to="/" className="nav-bar__brand" aria-label="Envkeep">
          <Logo size={28} />
          <span>envkeep</span>
        </Link>
        <nav className="nav-bar__wide" aria-label="Main">
          <NavLinks links={links} />
        </nav>
        {children}
      </div>
      {menu}
    </header>
  )
}
