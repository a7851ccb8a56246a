import { recordOutput, registerCookies, registerSecretsInJson, urlSource } from "@envkeep/testing/leaks.ts"
import type { Page, Response } from "@playwright/test"

/**
 * Watches a page for leaked secrets. What the page sends is secret, and must not appear in a URL, an error answer or the
 * console. Returns a function to call at the end of the journey.
 */
export function watchPage(page: Page): () => Promise<void> {
  const context = page.context()
  const answers: Promise<void>[] = []
  context.on("request", (request) => {
    recordOutput(urlSource, withoutFragment(request.url()))
    registerSecretsInJson(request.postData() ?? "")
  })
  context.on("response", (response) => answers.push(watchAnswer(response)))
  context.on("console", (message) => recordOutput("the console", message.text()))
  page.on("framenavigated", (frame) => recordOutput(urlSource, withoutFragment(frame.url())))
  return async () => {
    for (const cookie of await context.cookies()) registerCookies(`${cookie.name}=${cookie.value}`)
    await Promise.all(answers)
  }
}

/** Links of administrators and invitations carry a secret behind the `#`, which no server sees, and the page removes it at once. */
function withoutFragment(url: string): string {
  return url.replace(/\/(reset|invitation|lost-factor)#.*/, "/$1")
}

const showsSecrets = new Set([
  "/api/api-key",
  "/api/users/me/tokens",
  "/api/users/me/totp",
  "/api/users/me/totp/confirm",
  "/api/users/me/recovery-codes",
  "/api/users/me/passkeys",
])

async function watchAnswer(response: Response): Promise<void> {
  const isKey = showsSecrets.has(new URL(response.url()).pathname)
  if (response.status() < 400 && !isKey) return
  // If the page navigated before the answer was read, nothing else read it either.
  const text = await response.text().catch(() => "")
  if (isKey) registerSecretsInJson(text)
  if (response.status() >= 400) recordOutput(`the answer ${response.status()}`, text)
}
