import { counted } from "../../ui/counts.ts"

/** "no items", "1 item", "1,234 items". */
export function countedOrNone(count: number, what: string): string {
  return count === 0 ? `no ${what}s` : counted(count, what)
}
