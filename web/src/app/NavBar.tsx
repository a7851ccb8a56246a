import { IconMenu2 } from "@tabler/icons-react"
import { type ComponentProps, type ComponentType, useCallback, useEffect, useState } from "react"
import { useLocation } from "react-router"
import { unreachable } from "../lib/api.ts"
import { notify } from "../lib/notify.ts"
import { canRegister } from "../lib/registration.ts"
import { useUser } from "../lib/state.ts"
import { Icon } from "../ui/Icon.tsx"
import { IconButton } from "../ui/IconButton.tsx"
import { Bar } from "./Bar.tsx"
import { ColorSchemeSwitch } from "./ColorSchemeSwitch.tsx"
import { FindButton } from "./FindButton.tsx"
import type { MobileMenu } from "./MobileMenu.tsx"
import { navLinks } from "./nav-links.ts"
import { loadMenu } from "./screens.ts"

const narrow = "(max-width: 768px)"

export function NavBar() {
  const { key } = useLocation()
  const user = useUser()
  const links = navLinks(user, canRegister())
  // The menu is open for one history entry, so that a link or the back button closes it.
  const [openedAt, setOpenedAt] = useState<string>()
  const [Menu, setMenu] = useState<ComponentType<ComponentProps<typeof MobileMenu>>>()
  const opened = openedAt === key
  const close = () => setOpenedAt(undefined)

  const load = useCallback(async () => {
    const loaded = await loadMenu()
    setMenu(() => loaded)
  }, [])

  // On a narrow screen the menu is loaded before it is needed.
  useEffect(() => {
    if (matchMedia(narrow).matches) load().catch(() => undefined)
  }, [load])

  // In a wider window the links are in the bar again.
  useEffect(() => {
    const width = matchMedia(narrow)
    const closeWhenWide = () => !width.matches && setOpenedAt(undefined)
    width.addEventListener("change", closeWhenWide)
    return () => width.removeEventListener("change", closeWhenWide)
  }, [])

  function open() {
    setOpenedAt(key)
    load().catch(() => {
      close()
      notify.error(unreachable)
    })
  }
  return (
    <Bar links={links} menu={Menu !== undefined && <Menu links={links} opened={opened} onClose={close} />}>
      {user !== null && <FindButton />}
      <ColorSchemeSwitch />
      <div className="nav-bar__toggle">
        <IconButton label="Open menu" size="xl" aria-expanded={opened} aria-haspopup="dialog" onClick={open}>
          <Icon shape={IconMenu2} />
        </IconButton>
      </div>
    </Bar>
  )
}
