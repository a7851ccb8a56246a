import type { Sameness } from "./CellText.tsx"
import { type Cell, groupsOf } from "./grid.ts"

/** The style sheet has as many. The letters tell more groups apart. */
const tints = 6
const maxNamed = 2

/** How each cell of a row compares with the others. Undefined where there is nothing to compare. */
export function samenessOf(
  cells: readonly Cell[],
  environments: readonly { name: string }[],
): (Sameness | undefined)[] {
  const groups = groupsOf(cells)
  const isSame = new Set(groups.filter((group) => group !== undefined)).size === 1
  return groups.map((group, at) => {
    if (group === undefined) return undefined
    const others = environments.filter((_, other) => other !== at && groups[other] === group).map(({ name }) => name)
    return {
      letter: isSame ? undefined : letterOf(group),
      words: isSame ? "same in all environments that have it" : wordsFor(others),
      tint: group % tints,
    }
  })
}

function wordsFor(others: string[]): string {
  if (others.length === 0) return "different from the others"
  const more = others.length - maxNamed
  return `same as ${others.slice(0, maxNamed).join(" and ")}${more > 0 ? ` and ${more} more` : ""}`
}

/** A to Z, then A2 to Z2 and so on. */
function letterOf(group: number): string {
  const round = Math.floor(group / 26)
  return `${String.fromCharCode(65 + (group % 26))}${round === 0 ? "" : round + 1}`
}
