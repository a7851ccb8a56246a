import { counted, formatNumber } from "../../ui/counts.ts"

export function itemCount(items: number): string {
  return counted(items, "item")
}

/** Of an environment that has a base. */
export function inheritedCount(own: number, inherited: number): string {
  return `${formatNumber(own)} set here, ${formatNumber(inherited)} inherited`
}
