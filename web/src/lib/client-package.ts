/** The integrity of the client package that this server hands out, which the server writes into the page. */
export function clientIntegrity(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="envkeep-client-integrity"]')?.content ?? ""
}
