import { afterEach, expect, test } from "vitest"
import { contactUrl } from "./contact.ts"

afterEach(() => document.head.replaceChildren())

function configured(contact: string): void {
  const tag = document.createElement("meta")
  tag.name = "envkeep-contact-url"
  tag.content = contact
  document.head.replaceChildren(tag)
}

test("the contact is what the server was told, or the administrator of its host", () => {
  expect(contactUrl()).toBe("mailto:admin@localhost")
  configured("")
  expect(contactUrl()).toBe("mailto:admin@localhost")
  configured("https://example.com/contact")
  expect(contactUrl()).toBe("https://example.com/contact")
})
