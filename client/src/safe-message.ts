/** A word that is an API key or a token, or ends in one after something like `--key=`. */
export function looksLikeKey(word: string): boolean {
  return /(^|[^0-9A-Za-z])(ek|ept)_[0-9A-Za-z]+$/.test(word)
}

/**
 * A message repeats what a user gave, which may be an API key in the wrong place, and names from elsewhere. A terminal obeys
 * control characters, and characters for the direction of text let it show something else than there is.
 */
export function safeMessage(text: string): string {
  return text
    .replace(/(?<![0-9A-Za-z])(ek|ept)_[0-9A-Za-z]+/g, "$1_...")
    .replace(/(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu, "?")
}
