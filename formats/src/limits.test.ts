import { expect, test } from "vitest"
import { docker } from "../consumers/docker.ts"
import { print } from "./index.ts"

test("a line of Docker's holds 65,535 bytes and not one more", () => {
  const line = (length: number) => print("docker", [{ name: "A", value: `${"é".repeat((length - 3) / 2)}x` }])
  expect(line(65_535)).toHaveProperty("text")
  expect(line(65_537)).toEqual({ refused: [{ name: "A", reason: "it is longer than 65,535 bytes" }] })
  expect(() => docker.read(`A=${"x".repeat(65_534)}\n`)).toThrow("token too long")
})

test("a Secret holds 1 MiB; the variables that no longer fit are named", () => {
  const variables = ["A", "B", "C"].map((name) => ({ name, value: "é".repeat(256 * 1024) }))
  expect(print("k8s", variables.slice(0, 2))).toHaveProperty("text")
  expect(print("k8s", variables)).toEqual({
    refused: [{ name: "C", reason: "a Secret holds 1 MiB, and it is full" }],
  })
})

test("ten thousand variables are printed at once in every format", () => {
  const variables = Array.from({ length: 10_000 }, (_, at) => ({ name: `NAME_${at}`, value: `it's "value" $${at}` }))
  for (const format of ["json", "raw", "dotenv", "shell", "docker", "systemd", "yaml", "k8s"] as const) {
    const printed = print(format, variables)
    expect("text" in printed && printed.text.length).toBeGreaterThan(10_000)
  }
})
