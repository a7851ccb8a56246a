import { afterAll, afterEach, expect } from "vitest"
import { anAddress, findLeaks, hear, hideBearer, hideCookies, hideInJson } from "./leaks.ts"

// In every test file that has to do with a server: a test in which a secret gets out fails, whatever it is about.

const send = globalThis.fetch

globalThis.fetch = async (input, init) => {
  const url = input instanceof Request ? input.url : String(input)
  const headers = new Headers(init?.headers)
  hear(anAddress, url)
  hideCookies(headers.get("cookie") ?? "")
  hideBearer(headers.get("authorization") ?? "")
  if (typeof init?.body === "string") hideInJson(init.body)
  const response = await send(input, init)
  for (const cookie of response.headers.getSetCookie()) hideCookies(cookie.split(";")[0] ?? "")
  if (response.status >= 400) hear(`the answer ${response.status}`, await response.clone().text())
  if (url.endsWith("/api/api-key")) hideInJson(await response.clone().text())
  return response
}

const expectNone = () => expect(findLeaks(), "no secret may be seen in a log, an address or an error").toEqual([])

afterEach(expectNone)
// What was said while the last test was cleared away.
afterAll(expectNone)
