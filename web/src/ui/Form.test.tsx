import { MantineProvider } from "@mantine/core"
import { act, fireEvent, render, screen } from "@testing-library/react"
import { expect, test } from "vitest"
import { Form, SubmitButton } from "./Form.tsx"

function submitted() {
  const finish: (() => void)[] = []
  render(
    <MantineProvider>
      <Form label="Order" onSubmit={() => new Promise<void>((resolve) => finish.push(resolve))}>
        <input aria-label="Amount" aria-invalid="true" />
        <SubmitButton>Send</SubmitButton>
      </Form>
    </MantineProvider>,
  )
  return finish
}

test("a form that is submitted again while it is being sent is sent once", async () => {
  const finish = submitted()
  const form = screen.getByRole("form", { name: "Order" })
  act(() => {
    fireEvent.submit(form)
    fireEvent.submit(form)
  })
  fireEvent.submit(form)
  expect(finish).toHaveLength(1)
  const button = screen.getByRole("button", { name: "Send" })
  expect(button.getAttribute("aria-disabled")).toBe("true")

  await act(async () => finish[0]?.())
  expect(button.getAttribute("aria-disabled")).toBeNull()
  fireEvent.submit(form)
  expect(finish).toHaveLength(2)
})

test("after a refusal the first invalid field has the focus", async () => {
  const finish = submitted()
  fireEvent.submit(screen.getByRole("form", { name: "Order" }))
  await act(async () => finish[0]?.())
  expect(document.activeElement).toBe(screen.getByLabelText("Amount"))
})

test("the button keeps the focus while the form is being sent", async () => {
  const finish = submitted()
  const button = screen.getByRole("button", { name: "Send" })
  button.focus()
  fireEvent.click(button)
  expect(finish).toHaveLength(1)
  expect(button).toHaveProperty("disabled", false)
  fireEvent.click(button)
  expect(finish).toHaveLength(1)
  expect(document.activeElement).toBe(button)
})
