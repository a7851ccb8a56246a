/** A word that is an API key or a token, or ends in one after something like `--key=`. */
export function looksLikeKey(word: string): boolean {
  return /(^|[^0-9A-Za-z])(ek|ept)_[0-9A-Za-z]+$/.test(word)
}

/** For messages that repeat what a user gave, which may be an API key in the wrong place. */
export function withoutKeys(text: string): string {
  return text.replace(/(?<![0-9A-Za-z])(ek|ept)_[0-9A-Za-z]+/g, "$1_...")
}
