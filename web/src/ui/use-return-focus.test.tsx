import { MantineProvider } from "@mantine/core"
import { render, screen } from "@testing-library/react"
import { userEvent } from "@testing-library/user-event"
import { useState } from "react"
import { expect, test } from "vitest"
import { Dialog } from "./Dialog.tsx"

/** A menu that is gone before the dialog that one of its entries opens is there. */
function Page() {
  const [stage, setStage] = useState<"menu" | "neither" | "dialog">("menu")
  return (
    <MantineProvider>
      <button id="opener" type="button">
        More
      </button>
      {stage === "menu" && (
        <div role="menu" aria-labelledby="opener">
          <button type="button" role="menuitem" onClick={() => setStage("neither")}>
            Export
          </button>
        </div>
      )}
      {stage === "neither" && <output>closed</output>}
      <button type="button" onMouseEnter={() => setStage("dialog")}>
        Later
      </button>
      <Dialog opened={stage === "dialog"} title="Export" onClose={() => setStage("neither")}>
        The text
      </Dialog>
    </MantineProvider>
  )
}

test("when a dialog closes, the focus returns to the button of the menu that was gone before it opened", async () => {
  const user = userEvent.setup()
  render(<Page />)
  await user.click(screen.getByRole("menuitem"))
  expect(document.activeElement).toBe(document.body)
  await user.hover(screen.getByText("Later"))
  await screen.findByRole("dialog")
  await user.keyboard("{Escape}")
  expect(document.activeElement).toBe(screen.getByText("More"))
})
