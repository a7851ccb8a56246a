import { useComputedColorScheme, useMantineColorScheme } from "@mantine/core"
import { useColorScheme } from "@mantine/hooks"

/** Switches between light and dark. Choosing the system's own scheme follows the system again. */
export function useColorSchemeSwitch() {
  const system = useColorScheme()
  const shown = useComputedColorScheme("light")
  const { setColorScheme } = useMantineColorScheme()
  const other: "light" | "dark" = shown === "dark" ? "light" : "dark"
  return { shown, other, switchScheme: () => setColorScheme(other === system ? "auto" : other) }
}
