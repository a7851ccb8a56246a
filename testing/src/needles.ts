export interface Needles<Tag> {
  add(needle: string, tag: Tag): void
  /** What of it is in the text, and where. */
  findIn(text: string): { tag: Tag; at: number }[]
}

/** No needle may be shorter than this. */
export const shortestNeedle = 8

/** Many strings looked for at once: by their first characters, so that a text is gone through once for all of them. */
export function needles<Tag>(): Needles<Tag> {
  const byStart = new Map<string, { needle: string; tag: Tag }[]>()
  return {
    add(needle, tag) {
      if (needle.length < shortestNeedle) throw new Error("a needle that short is found anywhere")
      const start = needle.slice(0, shortestNeedle)
      const known = byStart.get(start)
      if (known === undefined) byStart.set(start, [{ needle, tag }])
      else if (!known.some((one) => one.needle === needle)) known.push({ needle, tag })
    },
    findIn(text) {
      const found: { tag: Tag; at: number }[] = []
      for (let at = 0; at + shortestNeedle <= text.length; at++) {
        for (const { needle, tag } of byStart.get(text.slice(at, at + shortestNeedle)) ?? []) {
          if (text.startsWith(needle, at)) found.push({ tag, at })
        }
      }
      return found
    },
  }
}
