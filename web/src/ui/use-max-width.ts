import { useMediaQuery } from "@mantine/hooks"

/** The menu of the navigation bar collapses at this width too. */
const phoneWidthPx = 768

export function useIsPhone(): boolean {
  return useMaxWidth(phoneWidthPx)
}

/** Whether the window is at most this wide. */
export function useMaxWidth(widthPx: number): boolean {
  return useMediaQuery(`(max-width: ${widthPx}px)`, false, { getInitialValueInEffect: false })
}
