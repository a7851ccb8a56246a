import { useMediaQuery } from "@mantine/hooks"

/** Whether the screen is as narrow as a phone: the same width at which the menu of the navigation bar collapses. */
export function useIsPhone(): boolean {
  return useMediaQuery("(max-width: 768px)", false, { getInitialValueInEffect: false })
}
