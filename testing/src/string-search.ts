export interface StringSearch<Tag> {
  add(pattern: string, tag: Tag): void
  /** Every pattern that the text contains, and where. */
  findIn(text: string): { tag: Tag; at: number }[]
}

/** A shorter pattern would be found in almost any text. */
export const minPatternLength = 8

/** Searches for many strings in one pass over the text, by an index of their first characters. */
export function createStringSearch<Tag>(): StringSearch<Tag> {
  const byStart = new Map<string, { pattern: string; tag: Tag }[]>()
  return {
    add(pattern, tag) {
      if (pattern.length < minPatternLength) throw new Error(`a pattern needs at least ${minPatternLength} characters`)
      const start = pattern.slice(0, minPatternLength)
      const known = byStart.get(start)
      if (known === undefined) byStart.set(start, [{ pattern, tag }])
      else if (!known.some((one) => one.pattern === pattern)) known.push({ pattern, tag })
    },
    findIn(text) {
      const found: { tag: Tag; at: number }[] = []
      for (let at = 0; at + minPatternLength <= text.length; at++) {
        for (const { pattern, tag } of byStart.get(text.slice(at, at + minPatternLength)) ?? []) {
          if (text.startsWith(pattern, at)) found.push({ tag, at })
        }
      }
      return found
    },
  }
}
