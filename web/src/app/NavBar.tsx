import { Drawer } from "@mantine/core"
import { useDisclosure } from "@mantine/hooks"
import { Link, useLocation } from "react-router"
import { useUser } from "../lib/state.ts"
import { IconButton } from "../ui/IconButton.tsx"
import { MenuIcon } from "../ui/icons.tsx"
import { Logo } from "../ui/Logo.tsx"
import { ColorSchemeSwitch } from "./ColorSchemeSwitch.tsx"
import { isCurrent, navLinks } from "./nav-links.ts"
import "./nav-bar.css"

export function NavBar() {
  const [opened, menu] = useDisclosure(false)
  return (
    <header className="nav-bar">
      <div className="nav-bar__inner">
        <Link to="/" className="nav-bar__brand" aria-label="Envkeep">
          <Logo size={28} />
          <span>envkeep</span>
        </Link>
        <nav className="nav-bar__wide" aria-label="Main">
          <Links />
        </nav>
        <ColorSchemeSwitch />
        <div className="nav-bar__toggle">
          <IconButton label="Open menu" size="xl" aria-expanded={opened} aria-haspopup="dialog" onClick={menu.open}>
            <MenuIcon />
          </IconButton>
        </div>
      </div>
      <Drawer
        opened={opened}
        onClose={menu.close}
        position="right"
        size="100%"
        title={<Logo size={28} />}
        aria-label="Menu"
        className="nav-menu"
        closeButtonProps={{ "aria-label": "Close menu", size: "xl" }}
      >
        <nav aria-label="Main">
          <Links onChoose={menu.close} />
        </nav>
      </Drawer>
    </header>
  )
}

function Links({ onChoose }: { onChoose?: () => void }) {
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
