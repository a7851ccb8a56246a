import { lazy, Suspense, useEffect, useState } from "react"
import { Link, useLocation } from "react-router"
import { IconButton } from "../ui/IconButton.tsx"
import { MenuIcon } from "../ui/icons.tsx"
import { Logo } from "../ui/Logo.tsx"
import { ColorSchemeSwitch } from "./ColorSchemeSwitch.tsx"
import { NavLinks } from "./NavLinks.tsx"
import "./nav-bar.css"

const loadMenu = () => import("./MobileMenu.tsx")
const MobileMenu = lazy(async () => ({ default: (await loadMenu()).MobileMenu }))

export function NavBar() {
  const { key } = useLocation()
  // Open at the place where it was opened: whatever leads elsewhere, a link or the back button, closes it.
  const [openedAt, setOpenedAt] = useState<string>()
  const [wanted, setWanted] = useState(false)
  const opened = openedAt === key

  // Wide screens never load the menu; narrow ones have it by the time it is asked for.
  useEffect(() => {
    if (matchMedia("(max-width: 768px)").matches) setWanted(true)
  }, [])

  function open() {
    setWanted(true)
    setOpenedAt(key)
  }
  return (
    <header className="nav-bar">
      <div className="nav-bar__inner">
        <Link to="/" className="nav-bar__brand" aria-label="Envkeep">
          <Logo size={28} />
          <span>envkeep</span>
        </Link>
        <nav className="nav-bar__wide" aria-label="Main">
          <NavLinks />
        </nav>
        <ColorSchemeSwitch />
        <div className="nav-bar__toggle">
          <IconButton label="Open menu" size="xl" aria-expanded={opened} aria-haspopup="dialog" onClick={open}>
            <MenuIcon />
          </IconButton>
        </div>
      </div>
      {wanted && (
        <Suspense>
          <MobileMenu opened={opened} onClose={() => setOpenedAt(undefined)} />
        </Suspense>
      )}
    </header>
  )
}
