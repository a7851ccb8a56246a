import { names } from "@envkeep/contract"
import { type FoundDescription, parseComment } from "@envkeep/formats"
import type { ReadText } from "./read-text.ts"

/** What a text says about the names in it, or in one part of it, with the values as examples. */
export function describedIn({ entries }: ReadText, from: string | undefined): FoundDescription[] {
  const found = new Map<string, FoundDescription>()
  for (const entry of entries) {
    if (from !== undefined && entry.from !== from) continue
    const checked = names.describe.input.safeParse({ id: 1, name: entry.name })
    if (!checked.success) continue
    const { name } = checked.data
    const example = entry.value === "" ? {} : { example: entry.value }
    found.set(name, { ...found.get(name), ...example, ...parseComment(entry.description ?? ""), name })
  }
  return [...found.values()]
}
