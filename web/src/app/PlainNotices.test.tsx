import { MantineProvider } from "@mantine/core"
import { act, fireEvent, render, screen } from "@testing-library/react"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { noticeMs } from "../lib/notice-kinds.ts"
import { notify } from "../lib/notify.ts"
import { PlainNotices } from "./PlainNotices.tsx"

beforeEach(() => {
  vi.useFakeTimers()
  render(
    <MantineProvider env="test">
      <PlainNotices />
    </MantineProvider>,
  )
})
afterEach(() => void vi.useRealTimers())

const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))

test("a message goes after its time, or when it is dismissed", async () => {
  act(() => notify.error("No"))
  act(() => notify.error("Not that either"))
  fireEvent.click(screen.getAllByRole("button", { name: "Dismiss" })[0] as HTMLElement)
  expect(screen.getAllByRole("alert").map(({ textContent }) => textContent)).toEqual(["Not that either"])
  await pass(noticeMs.error - 1)
  expect(screen.getByRole("alert")).toBeDefined()
  await pass(1)
  expect(screen.queryByRole("alert")).toBeNull()
})

test("a message stays while it has the focus", async () => {
  act(() => notify.error("Read me"))
  const dismiss = screen.getByRole("button", { name: "Dismiss" })
  act(() => dismiss.focus())
  await pass(noticeMs.error * 2)
  expect(screen.getByRole("alert")).toBeDefined()
  act(() => dismiss.blur())
  await pass(noticeMs.error)
  expect(screen.queryByRole("alert")).toBeNull()
})
