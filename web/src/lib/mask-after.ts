import { type RefObject, useState } from "react"
import { minuteMs } from "./durations.ts"
import { useStoredChoice } from "./stored-choice.ts"
import { useWhenIdle } from "./when-idle.ts"

/** The choices for how long shown values stay on the screen without use. */
export const maskAfterMinutes = [1, 5, 15] as const
export type MaskAfterMinutes = (typeof maskAfterMinutes)[number]

/** After how many minutes without use shown values are masked again. Stored in this browser, as a number. */
export function useMaskAfterMinutes() {
  return useStoredChoice<MaskAfterMinutes>("envkeep.mask-after-minutes", maskAfterMinutes)
}

/** Calls `mask` once values were shown for that long without use of the page. */
export function useMaskWhenIdle(isAnyShown: boolean, mask: () => void): void {
  const [minutes] = useMaskAfterMinutes()
  useWhenIdle(isAnyShown ? minutes * minuteMs : undefined, mask)
}

/**
 * Masks a field that shows a value without being asked to, once the page was not used for that long. It is shown again when
 * it gets the focus.
 */
export function useMaskedField(field: RefObject<HTMLElement | null>) {
  const [isMasked, setMasked] = useState(false)
  useMaskWhenIdle(!isMasked, () => {
    // Returning to the tab would focus it again, and so show it. The keys of the dialog around it stay in use.
    if (document.activeElement === field.current) {
      field.current?.blur()
      field.current?.closest<HTMLElement>("[role=dialog]")?.focus({ preventScroll: true })
    }
    setMasked(true)
  })
  return { isMasked, show: () => setMasked(false) }
}
