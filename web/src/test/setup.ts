import { notifications } from "@mantine/notifications"
import { cleanup, configure } from "@testing-library/react"
import { afterEach } from "vitest"

// Password hashing is slow on purpose, and the server tests may run at the same time.
configure({ asyncUtilTimeout: 60_000 })

// happy-dom does not have it, and text areas that grow with their content need it.
Object.defineProperty(document, "fonts", { value: new EventTarget() })

afterEach(() => {
  cleanup()
  notifications.clean()
  localStorage.clear()
})
