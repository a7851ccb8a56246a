import { MantineProvider } from "@mantine/core"
import { fireEvent, render, screen } from "@testing-library/react"
import { createMemoryRouter, RouterProvider } from "react-router"
import { expect, test } from "vitest"
import { unreachable } from "../lib/api.ts"
import { createQueryClient } from "../lib/query-client.ts"
import { keys } from "../lib/state.ts"
import { Providers } from "./Providers.tsx"
import { RouteErrorScreen } from "./RouteErrorScreen.tsx"
import { ScreenNotLoadedScreen } from "./ScreenNotLoadedScreen.tsx"
import { loadScreen } from "./screens.ts"

function failingRouter(loader: () => Promise<never>) {
  const screens = [
    { index: true, loader, element: null },
    { path: "other", element: "Another page" },
  ]
  return createMemoryRouter([
    { ErrorBoundary: RouteErrorScreen, children: [{ ErrorBoundary: ScreenNotLoadedScreen, children: screens }] },
  ])
}

function openFailing(loader: () => Promise<never>) {
  render(
    <MantineProvider>
      <RouterProvider router={failingRouter(loader)} />
    </MantineProvider>,
  )
}

test("a screen whose script cannot be loaded says that the server cannot be reached", async () => {
  openFailing(() => loadScreen(() => Promise.reject(new TypeError("Failed to fetch"))))
  await screen.findByText(unreachable)
  expect(screen.getByRole("button", { name: "Try again" })).toBeDefined()
})

test("a bug is shown as an unexpected error", async () => {
  openFailing(() => Promise.reject(new Error("planted")))
  await screen.findByRole("heading", { name: "Unexpected Application Error!" })
  expect(screen.getByText("planted")).toBeDefined()
})

test("after an unexpected error, Find waits for the next page", async () => {
  const client = createQueryClient()
  client.setQueryData(keys.user, { id: 1, username: "ann", email: "ann@example.com", isAdmin: false })
  const router = failingRouter(() => Promise.reject(new Error("planted")))
  render(
    <Providers client={client}>
      <RouterProvider router={router} />
    </Providers>,
  )
  // False if the page takes the key from the browser.
  const press = () => fireEvent.keyDown(document.body, { key: "k", ctrlKey: true })

  await screen.findByText("planted")
  expect(press()).toBe(true)
  expect(screen.queryByRole("combobox", { name: "Find", hidden: true })).toBeNull()

  await router.navigate("/other")
  await screen.findByText("Another page")
  expect(press()).toBe(false)
  expect(screen.getByRole("combobox", { name: "Find", hidden: true })).toBeDefined()
  expect(press()).toBe(false)
})
