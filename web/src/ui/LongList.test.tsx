import { MantineProvider } from "@mantine/core"
import { render, screen } from "@testing-library/react"
import { userEvent } from "@testing-library/user-event"
import { expect, test } from "vitest"
import { LongList } from "./LongList.tsx"

function show(count: number) {
  const rows = Array.from({ length: count }, (_, at) => `person ${at}`)
  const search = { label: "Find a person", textOf: (row: string) => row }
  render(
    <MantineProvider>
      <LongList label="People" rows={rows} keyOf={(row) => row} render={(row) => row} search={search} />
    </MantineProvider>,
  )
}

test("a list that is not short can be searched, also in rows that are not shown yet", async () => {
  show(150)
  await userEvent.type(screen.getByLabelText("Find a person"), "PERSON 14")
  expect(screen.getAllByRole("listitem").map((row) => row.textContent)).toEqual([
    "person 14",
    ...Array.from({ length: 10 }, (_, at) => `person 14${at}`),
  ])
  expect(screen.getByRole("status").textContent).toBe("11 of 150")
})

test("a short list has no field to search in", () => {
  show(3)
  expect(screen.queryByLabelText("Find a person")).toBeNull()
})
