import { counted } from "../../ui/counts.ts"

/** For what a copy does not have because its stored row is damaged. */
export function leftOut(count: number): string {
  return counted(count, "item is damaged and was left out", "items are damaged and were left out")
}
