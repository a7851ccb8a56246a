/** Whether this server sends mail, which it writes into the page. */
export function sendsMail(): boolean {
  return document.querySelector<HTMLMetaElement>('meta[name="envkeep-mail"]')?.content === "on"
}
