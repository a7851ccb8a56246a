/** A word that is an API key or a token, or ends in one after something like `--key=`. */
export function looksLikeKey(word: string): boolean {
  return /(^|[^0-9A-Za-z])(ek|ept)_[0-9A-Za-z]+$/.test(word)
}

/**
 * A message repeats what a user gave, which may be an API key in the wrong place, and names in JSON, which leaves some
 * control characters as they are. A terminal obeys them.
 */
export function safeMessage(text: string): string {
  return text.replace(/(?<![0-9A-Za-z])(ek|ept)_[0-9A-Za-z]+/g, "$1_...").replace(/[\x7f-\x9f]/g, "?")
}
