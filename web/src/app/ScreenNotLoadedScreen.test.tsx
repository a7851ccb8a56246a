import { MantineProvider } from "@mantine/core"
import { render, screen } from "@testing-library/react"
import { createMemoryRouter, RouterProvider } from "react-router"
import { expect, test } from "vitest"
import { unreachable } from "../lib/api.ts"
import { RouteErrorScreen } from "./RouteErrorScreen.tsx"
import { ScreenNotLoadedScreen } from "./ScreenNotLoadedScreen.tsx"
import { loadScreen } from "./screens.ts"

function openFailing(loader: () => Promise<never>) {
  const screens = [{ index: true, loader, element: null }]
  const router = createMemoryRouter([
    { ErrorBoundary: RouteErrorScreen, children: [{ ErrorBoundary: ScreenNotLoadedScreen, children: screens }] },
  ])
  render(
    <MantineProvider>
      <RouterProvider router={router} />
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
