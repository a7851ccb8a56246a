import { useComputedColorScheme, useMantineColorScheme } from "@mantine/core"
import { useColorScheme } from "@mantine/hooks"
import { IconMoon, IconSun } from "@tabler/icons-react"
import { useEffect } from "react"
import { Icon } from "../ui/Icon.tsx"
import { IconButton } from "../ui/IconButton.tsx"

/** The colour of the browser bar on a phone. index.html sets it for the preference of the system only. */
const themeColors = { light: "#ffffff", dark: "#0e1315" }

/** Switches between light and dark. Choosing the system's own scheme follows the system again. */
export function ColorSchemeSwitch() {
  const system = useColorScheme()
  const shown = useComputedColorScheme("light")
  const { setColorScheme } = useMantineColorScheme()
  useEffect(() => {
    for (const meta of document.querySelectorAll('meta[name="theme-color"]'))
      meta.setAttribute("content", themeColors[shown])
  }, [shown])
  const other = shown === "dark" ? "light" : "dark"
  return (
    <IconButton
      label={`Switch to ${other} mode`}
      size="xl"
      onClick={() => setColorScheme(other === system ? "auto" : other)}
    >
      {other === "dark" ? <Icon shape={IconMoon} /> : <Icon shape={IconSun} />}
    </IconButton>
  )
}
