import { expect, test } from "vitest"
import { docker } from "../consumers/docker.ts"
import { formatNames, formats } from "./index.ts"

test("a Docker line holds 65,535 bytes and not one more", () => {
  const line = (length: number) => formats.docker.print([{ name: "A", value: `${"é".repeat((length - 3) / 2)}x` }])
  expect(line(65_535)).toHaveProperty("text")
  expect(line(65_537)).toEqual({ refused: [{ name: "A", reason: "it is longer than 65,535 bytes" }] })
  expect(() => docker.read(`A=${"x".repeat(65_534)}\n`)).toThrow("token too long")
})

test("a Secret holds 1 MiB; the variables that no longer fit are named", () => {
  const variables = ["A", "B", "C"].map((name) => ({ name, value: "é".repeat(256 * 1024) }))
  expect(formats.k8s.print(variables.slice(0, 2))).toHaveProperty("text")
  expect(formats.k8s.print(variables)).toEqual({
    refused: [{ name: "C", reason: "it does not fit: a Secret holds 1 MiB" }],
  })
})

test("every format prints ten thousand variables", () => {
  const variables = Array.from({ length: 10_000 }, (_, at) => ({ name: `NAME_${at}`, value: `it's "value" $${at}` }))
  for (const name of formatNames) {
    const printed = formats[name].print(variables)
    expect("text" in printed && printed.text.length).toBeGreaterThan(10_000)
  }
})
