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
