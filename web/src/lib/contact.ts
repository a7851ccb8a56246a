/** Where to reach the people who run this server: as they have configured it, or the address that most of them have. */
export function contactUrl(): string {
  const configured = document.querySelector<HTMLMetaElement>('meta[name="envkeep-contact-url"]')?.content
  return configured === undefined || configured === "" ? `mailto:admin@${location.hostname}` : configured
}
