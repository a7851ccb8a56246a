import { afterAll, afterEach, expect } from "vitest"
import {
  findLeaks,
  forgetSecrets,
  recordOutput,
  registerBearerToken,
  registerCookies,
  registerSecretsInJson,
  urlSource,
} from "./leaks.ts"

// Runs in every test file that uses a server: a test in which a secret leaks fails, whatever the test is about.

forgetSecrets()
const send = globalThis.fetch

globalThis.fetch = async (input, init) => {
  const url = input instanceof Request ? input.url : String(input)
  const headers = new Headers(init?.headers)
  recordOutput(urlSource, url)
  registerCookies(headers.get("cookie") ?? "")
  registerBearerToken(headers.get("authorization") ?? "")
  if (typeof init?.body === "string") registerSecretsInJson(init.body)
  const response = await send(input, init)
  for (const cookie of response.headers.getSetCookie()) registerCookies(cookie.split(";")[0] ?? "")
  if (response.status >= 400) recordOutput(`the answer ${response.status}`, await response.clone().text())
  if (/\/api\/api-key(\/\d+\/roll)?$/.test(url)) registerSecretsInJson(await response.clone().text())
  return response
}

const expectNone = () => expect(findLeaks(), "no secret may appear in a log, a URL or an error").toEqual([])

afterEach(expectNone)
afterAll(() => {
  globalThis.fetch = send
  // What was logged while the last test was cleaned up.
  expectNone()
})
