import { recordOutput, registerCookies, registerSecretsInJson, urlSource } from "@envkeep/testing/leaks.ts"
import type { Page, Response } from "@playwright/test"

/**
 * Listens at a page: what it sends tells the secrets, and no address that it asks for, no error that it is answered with
 * and nothing in its console may hold one. Gives a function to call when the journey is over.
 */
export function hearPage(page: Page): () => Promise<void> {
  const context = page.context()
  const answers: Promise<void>[] = []
  context.on("request", (request) => {
    recordOutput(urlSource, request.url())
    registerSecretsInJson(request.postData() ?? "")
  })
  context.on("response", (response) => answers.push(hearAnswer(response)))
  context.on("console", (message) => recordOutput("the console", message.text()))
  page.on("framenavigated", (frame) => recordOutput(urlSource, frame.url()))
  return async () => {
    for (const cookie of await context.cookies()) registerCookies(`${cookie.name}=${cookie.value}`)
    await Promise.all(answers)
  }
}

async function hearAnswer(response: Response): Promise<void> {
  const isKey = new URL(response.url()).pathname === "/api/api-key"
  if (response.status() < 400 && !isKey) return
  // The page may have gone on before the answer was read; then nobody else read it either.
  const text = await response.text().catch(() => "")
  if (isKey) registerSecretsInJson(text)
  if (response.status() >= 400) recordOutput(`the answer ${response.status()}`, text)
}
