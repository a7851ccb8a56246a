/** No two accounts share one. */
export function emailKey(email: string): string {
  return foldCase(email)
}

/** Text in a form that ignores case. */
export function foldCase(text: string): string {
  // Sigma is the only letter with two lower-case forms. Without this, one address could have two accounts.
  return text.normalize("NFC").toLowerCase().replaceAll("ς", "σ")
}
