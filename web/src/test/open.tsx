import { testApp } from "@envkeep/testing/app.ts"
import type { Person } from "@envkeep/testing/person.ts"
// Only for its declaration of what the database tests are given, which is compiled along with them.
import type {} from "@envkeep/testing/postgres-setup.ts"
import { render } from "@testing-library/react"
import { userEvent } from "@testing-library/user-event"
import { createMemoryRouter } from "react-router"
import { RouterProvider } from "react-router/dom"
import { vi } from "vitest"
import { Providers } from "../app/Providers.tsx"
import { routes } from "../app/router.tsx"
import { createQueryClient } from "../lib/query-client.ts"

export { testApp }

interface Sent {
  method: "GET" | "POST" | "PUT" | "DELETE"
  headers: Record<string, string>
  body?: string
}

/** Opens a path of the real app as `person`. Its calls go to the real server in the same process. */
export function open(path: string, person: Person) {
  const calls: string[] = []
  const failing = new Set<string>()
  vi.stubGlobal("fetch", async (url: string, { method, headers, body }: Sent) => {
    // What runs is counted beside everything else, after each change.
    if (!url.endsWith("/instances")) calls.push(`${method} ${url}`)
    if (failing.has(`${method} ${url}`)) throw new TypeError("Failed to fetch")
    const answer = await person.send({ method, url, headers, ...(body !== undefined && { payload: body }) })
    return new Response(answer.text, { status: answer.status })
  })
  const client = createQueryClient()
  const router = createMemoryRouter(routes(client), { initialEntries: [path] })
  render(
    <Providers client={client}>
      <RouterProvider router={router} />
    </Providers>,
  )
  return {
    calls,
    client,
    user: userEvent.setup(),
    path: () => router.state.location.pathname,
    /** From now on this call fails before it reaches the server. */
    fail: (call: string) => failing.add(call),
  }
}
