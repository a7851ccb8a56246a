import { useComputedColorScheme, useMantineColorScheme } from "@mantine/core"
import { useColorScheme } from "@mantine/hooks"
import { IconButton } from "../ui/IconButton.tsx"
import { MoonIcon, SunIcon } from "../ui/icons.tsx"

/** Switches between light and dark. Switching back to what the system prefers means following the system again. */
export function ColorSchemeSwitch() {
  const system = useColorScheme()
  const shown = useComputedColorScheme("light")
  const { setColorScheme } = useMantineColorScheme()
  const other = shown === "dark" ? "light" : "dark"
  return (
    <IconButton
      label={`Switch to ${other} mode`}
      size="xl"
      onClick={() => setColorScheme(other === system ? "auto" : other)}
    >
      {other === "dark" ? <MoonIcon /> : <SunIcon />}
    </IconButton>
  )
}
