import { waitTimeoutMs } from "@envkeep/testing/time-limits.ts"
import { notifications } from "@mantine/notifications"
import { cleanup, configure } from "@testing-library/react"
import { afterEach, vi } from "vitest"

// Password hashing is slow on purpose, and the server tests may run at the same time.
configure({ asyncUtilTimeout: waitTimeoutMs })

// happy-dom does not have it, and text areas that grow with their content need it. Runs for each file, on the same page.
Object.defineProperty(document, "fonts", { value: new EventTarget(), configurable: true })

// happy-dom does not have it either. Streams are tried in a real browser.
vi.stubGlobal(
  "EventSource",
  class extends EventTarget {
    close(): void {}
  },
)

afterEach(() => {
  cleanup()
  notifications.clean()
  localStorage.clear()
  sessionStorage.clear()
})
