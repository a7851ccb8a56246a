const projectIssues = "https://github.com/envkeep/envkeep/issues"

/** Where the operator of this server wants to be reached; the server writes it into the page when it is set. */
export function contactUrl(): string {
  const named = document.querySelector<HTMLMetaElement>('meta[name="envkeep-contact-url"]')?.content
  return named === undefined || named === "" ? projectIssues : named
}
