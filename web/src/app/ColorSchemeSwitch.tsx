import { useEffect } from "react"
import { useColorSchemeSwitch } from "../ui/use-color-scheme-switch.ts"
import { SchemeButton } from "./SchemeButton.tsx"
import { showThemeColor } from "./theme-color.ts"

export function ColorSchemeSwitch() {
  const { shown, other, switchScheme } = useColorSchemeSwitch()
  useEffect(() => showThemeColor(shown), [shown])
  return <SchemeButton to={other} onClick={switchScheme} />
}
