import { notifications } from "@mantine/notifications"
import { cleanup, configure } from "@testing-library/react"
import { afterEach } from "vitest"

// Passwords are hashed slowly on purpose, and the tests of the server may be running beside these.
configure({ asyncUtilTimeout: 10_000 })

// Missing in this imitation of a browser, and asked for by text areas that grow.
Object.defineProperty(document, "fonts", { value: new EventTarget() })

afterEach(() => {
  cleanup()
  notifications.clean()
  localStorage.clear()
})
