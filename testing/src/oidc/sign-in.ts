import type { Person } from "../person.ts"

/** Where a browser is sent that wants to sign in with the provider `acme`. */
export async function beginSignIn(browser: Person, query = "", headers: Record<string, string> = {}): Promise<string> {
  return locationOf(await browser.get(`/sign-in/acme${query}`, headers))
}

/** Where a browser is sent that wants to connect its account with one at the provider. */
export async function beginConnecting(browser: Person): Promise<string> {
  const { body } = await browser.post<{ address: string }>("/users/me/identities", { provider: "acme" })
  return go(browser, body.data.address)
}

/** Where a path sends a browser. */
export async function go(browser: Person, url: string, headers: Record<string, string> = {}): Promise<string> {
  return locationOf(await browser.send({ method: "GET", url, headers }))
}

function locationOf({ status, headers }: { status: number; headers: Record<string, unknown> }): string {
  if (status !== 302) throw new Error(`a redirect was expected, not ${status}`)
  return String(headers["location"])
}
