import { fold } from "./names.ts"

/** How a name matches, best first. */
export const ranks = {
  equal: 0,
  begins: 1,
  contains: 2,
  /** It has all words of the text, elsewhere or in another order. */
  hasWords: 3,
  /** It has some of them, and the names of where it is have the others. */
  hasWordsWithPlace: 4,
} as const
export type Rank = (typeof ranks)[keyof typeof ranks]

/** What is searched for. */
export interface Sought {
  folded: string
  words: readonly string[]
}

export function soughtFor(text: string): Sought {
  const folded = fold(text)
  // A slash is how the screens write where a name is.
  const words = new Set(folded.split(/\s+/).filter((word) => word !== "" && word !== "/"))
  return { folded, words: words.size === 0 ? [folded] : [...words] }
}

/** Finds out how the names in a place match. The place is the folded names of what they are in. */
export function matcherIn(place: string, { folded: sought, words }: Sought): (folded: string) => Rank | undefined {
  const missing = words.filter((word) => !place.includes(word))
  // The name of a place alone finds the place, and not all that is in it.
  const hasRest = (folded: string) =>
    missing.length === 0
      ? words.some((word) => folded.includes(word))
      : missing.length < words.length && missing.every((word) => folded.includes(word))

  return (folded) => {
    const at = folded.indexOf(sought)
    if (at > 0) return ranks.contains
    if (at === 0) return folded.length === sought.length ? ranks.equal : ranks.begins
    if (words.length === 1 && words[0] === sought) return undefined
    if (words.every((word) => folded.includes(word))) return ranks.hasWords
    return hasRest(folded) ? ranks.hasWordsWithPlace : undefined
  }
}
