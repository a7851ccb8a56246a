import type { Inheritance } from "../../../lib/inheritance.ts"

/** What another base means for an environment, in sentences. */
export function rebasePreview(name: string, before: Inheritance, after: Inheritance): string[] {
  const [base] = after.bases
  const now = new Set([...after.items.map((item) => item.name), ...after.overridden.keys()])
  const lost = before.items.filter((item) => !now.has(item.name)).length
  const lines: string[] = []
  if (base === undefined) lines.push(`${name} then has only what it sets itself.`)
  else lines.push(`${counted(after.items.length)} come${after.items.length === 1 ? "s" : ""} from ${base.name}.`)
  if (after.overridden.size > 0) {
    lines.push(
      `${counted(after.overridden.size)} ${isOrAre(after.overridden.size)} set in both: ${name} keeps its own.`,
    )
  }
  if (lost > 0) lines.push(`${counted(lost)} that it inherits now ${isOrAre(lost)} gone.`)
  return lines
}

function counted(variables: number): string {
  if (variables === 0) return "No variables"
  return variables === 1 ? "1 variable" : `${variables.toLocaleString("en-US")} variables`
}

function isOrAre(count: number): string {
  return count === 1 ? "is" : "are"
}
