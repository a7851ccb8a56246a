import { Drawer, VisuallyHidden } from "@mantine/core"
import { Logo } from "../ui/Logo.tsx"
import { closing } from "../ui/shortcut.ts"
import { useReturnFocus } from "../ui/use-return-focus.ts"
import { NavLinks } from "./NavLinks.tsx"
import type { NavLink } from "./nav-links.ts"

interface MobileMenuProps {
  links: NavLink[]
  opened: boolean
  onClose: () => void
}

/** The links of the bar as a full-screen list that slides in. */
export function MobileMenu({ links, opened, onClose }: MobileMenuProps) {
  useReturnFocus(opened)
  return (
    <Drawer.Root
      opened={opened}
      onClose={onClose}
      position="right"
      size="100%"
      returnFocus={false}
      className="nav-menu"
    >
      <Drawer.Content {...closing(opened)}>
        <div className="nav-menu__head">
          <Logo size={28} />
          <Drawer.Title>
            <VisuallyHidden>Menu</VisuallyHidden>
          </Drawer.Title>
          <Drawer.CloseButton aria-label="Close menu" size="xl" />
        </div>
        <Drawer.Body>
          <nav aria-label="Main">
            <NavLinks links={links} onChoose={onClose} />
          </nav>
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  )
}
