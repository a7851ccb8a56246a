import { counted } from "./counts.ts"

const kinds = [
  { what: "space", all: /^ +$/, one: / /g },
  { what: "tab", all: /^\t+$/, one: /\t/g },
  { what: "line break", all: /^[\r\n]+$/, one: /\r\n|\r|\n/g },
  // White space of any kind, format characters such as a zero-width space, and control characters.
  { what: "invisible character", all: /^[\s\p{Cf}\p{Cc}]+$/u, one: /./gsu },
]

/** What a text consists of that would look like nothing: "3 spaces". Undefined if it is empty, or if something shows. */
export function blankWords(text: string): string | undefined {
  const kind = kinds.find(({ all }) => all.test(text))
  if (kind === undefined) return undefined
  return counted(text.match(kind.one)?.length ?? 0, kind.what)
}
