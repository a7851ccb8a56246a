import type { Inheritance } from "../../../lib/inheritance.ts"
import { counted, plural } from "../../../ui/counts.ts"

/** What another base means for an environment, in sentences. */
export function rebasePreview(name: string, before: Inheritance, after: Inheritance): string[] {
  const [base] = after.bases
  const now = new Set([...after.items.map((item) => item.name), ...after.overridden.keys()])
  const lost = before.items.filter((item) => !now.has(item.name)).length
  const lines: string[] = []
  if (base === undefined) lines.push(`${name} then has only what it sets itself.`)
  else lines.push(`${variables(after.items.length)} ${plural(after.items.length, "comes", "come")} from ${base.name}.`)
  if (after.overridden.size > 0) {
    lines.push(`${counted(after.overridden.size, "variable is", "variables are")} set in both: ${name} keeps its own.`)
  }
  if (lost > 0) lines.push(`${variables(lost)} that it inherits now ${plural(lost, "is", "are")} gone.`)
  return lines
}

function variables(count: number): string {
  return count === 0 ? "No variables" : counted(count, "variable")
}
