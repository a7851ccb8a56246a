import { expect, test } from "vitest"
import { clientName } from "./client-name.ts"

test("a browser is named as people call it", () => {
  expect(clientName("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")).toBe("Firefox on Linux")
  expect(clientName("Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/120.0 Safari/537.36 Edg/120.0")).toBe(
    "Edge on Windows",
  )
  expect(clientName("curl/8.5.0 extra")).toBe("curl/8.5.0")
  expect(clientName("")).toBe("")
})
