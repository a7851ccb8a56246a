import { MantineProvider } from "@mantine/core"
import { Notifications } from "@mantine/notifications"
import { act, render, screen } from "@testing-library/react"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { notify } from "./notify.ts"

beforeEach(() => {
  vi.useFakeTimers()
  render(
    <MantineProvider env="test">
      <Notifications transitionDuration={0} />
    </MantineProvider>,
  )
})
afterEach(() => void vi.useRealTimers())

const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))

test("a repeated message is a new notification and stays for the full time", async () => {
  act(() => notify.error("No"))
  await pass(6_000)
  const first = screen.getByText("No")
  act(() => notify.error("No"))
  await pass(100)
  expect(screen.getByText("No")).not.toBe(first)
  await pass(6_000)
  expect(screen.getByText("No")).toBeDefined()
  await pass(3_000)
  expect(screen.queryByText("No")).toBeNull()
})

test("calls that fail together show one notification", async () => {
  act(() => notify.error("Not now"))
  await pass(100)
  const first = screen.getByText("Not now")
  act(() => notify.error("Not now"))
  await pass(100)
  expect(screen.getByText("Not now")).toBe(first)
})
