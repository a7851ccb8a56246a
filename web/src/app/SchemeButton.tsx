import { IconMoon, IconSun } from "@tabler/icons-react"
import { Icon } from "../ui/Icon.tsx"
import { IconButton } from "../ui/IconButton.tsx"

interface SchemeButtonProps {
  to: "light" | "dark"
  onClick?: () => void
}

export function SchemeButton({ to, onClick }: SchemeButtonProps) {
  return (
    <IconButton label={`Switch to ${to} mode`} size="xl" data-switch-to={to} {...(onClick && { onClick })}>
      <Icon shape={to === "dark" ? IconMoon : IconSun} />
    </IconButton>
  )
}
