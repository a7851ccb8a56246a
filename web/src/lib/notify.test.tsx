import { MantineProvider } from "@mantine/core"
import { Notifications } from "@mantine/notifications"
import { act, render, screen } from "@testing-library/react"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { notify } from "./notify.ts"

beforeEach(() => {
  window.innerWidth = 1280
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

test("a new message never waits: the oldest one goes, successes first", async () => {
  const shown = () => screen.getAllByRole("alert").map(({ textContent }) => textContent)
  act(() => notify.error("First"))
  act(() => notify.success("Saved"))
  act(() => notify.error("Second"))
  await pass(100)
  expect(shown()).toEqual(["First", "Second"])
  act(() => notify.error("Third"))
  await pass(100)
  expect(shown()).toEqual(["Second", "Third"])
})

test("a narrow window shows one message at a time", async () => {
  window.innerWidth = 800
  act(() => notify.error("First"))
  act(() => notify.success("Saved"))
  await pass(100)
  expect(screen.getAllByRole("alert").map(({ textContent }) => textContent)).toEqual(["Saved"])
})

test("an undo is offered for longer than a message is shown, and once", async () => {
  const undo = vi.fn()
  act(() => notify.success("Deleted", undefined, undo))
  await pass(8_000)
  act(() => screen.getByRole("button", { name: "Undo" }).click())
  await pass(100)
  expect(undo).toHaveBeenCalledOnce()
  expect(screen.queryByText("Deleted")).toBeNull()
})
