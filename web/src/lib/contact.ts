const projectIssues = "https://github.com/envkeep/envkeep/issues"

/** The contact address of the operator. The server writes it into the page if it is configured. */
export function contactUrl(): string {
  const configured = document.querySelector<HTMLMetaElement>('meta[name="envkeep-contact-url"]')?.content
  return configured === undefined || configured === "" ? projectIssues : configured
}
