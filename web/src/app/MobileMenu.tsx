import { Drawer } from "@mantine/core"
import { Logo } from "../ui/Logo.tsx"
import { NavLinks } from "./NavLinks.tsx"

/** The links of the bar as a list that slides in over the whole screen. */
export function MobileMenu({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      position="right"
      size="100%"
      title={<Logo size={28} />}
      aria-label="Menu"
      className="nav-menu"
      closeButtonProps={{ "aria-label": "Close menu", size: "xl" }}
    >
      <nav aria-label="Main">
        <NavLinks onChoose={onClose} />
      </nav>
    </Drawer>
  )
}
