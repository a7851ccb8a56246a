import { IconMoon, IconSun } from "@tabler/icons-react"
import { useEffect } from "react"
import { Icon } from "../ui/Icon.tsx"
import { IconButton } from "../ui/IconButton.tsx"
import { useColorSchemeSwitch } from "../ui/use-color-scheme-switch.ts"

/** The colour of the browser bar on a phone. index.html sets it for the preference of the system only. */
const themeColors = { light: "#ffffff", dark: "#0e1315" }

export function ColorSchemeSwitch() {
  const { shown, other, switchScheme } = useColorSchemeSwitch()
  useEffect(() => {
    for (const meta of document.querySelectorAll('meta[name="theme-color"]'))
      meta.setAttribute("content", themeColors[shown])
  }, [shown])
  return (
    <IconButton label={`Switch to ${other} mode`} size="xl" onClick={switchScheme}>
      {other === "dark" ? <Icon shape={IconMoon} /> : <Icon shape={IconSun} />}
    </IconButton>
  )
}
