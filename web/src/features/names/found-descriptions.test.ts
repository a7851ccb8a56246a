import { notDescribed } from "@envkeep/contract"
import { expect, test } from "vitest"
import { isExampleFile, newDescriptions } from "./found-descriptions.ts"

const file = "# New words\n# @required\nA=1\n\n# @type=enum(x, y)\nB=\n\nC=3\n"
const abouts = new Map([["A", { ...notDescribed("A"), description: "Old words" }]])
const options = { withExamples: false, replaces: false }

test("what is described already stays, unless it is to be replaced", () => {
  const choice = { name: "B", kind: "choice", choices: ["x", "y"] }
  expect(newDescriptions(file, abouts, options)).toEqual([choice])
  expect(newDescriptions(file, abouts, { ...options, replaces: true })).toEqual([
    { name: "A", description: "New words", isRequired: true },
    choice,
  ])
})

test("values are examples only on request", () => {
  expect(newDescriptions("C=3\nD=\n", abouts, options)).toEqual([])
  expect(newDescriptions("C=3\nD=\n", abouts, { ...options, withExamples: true })).toEqual([
    { name: "C", example: "3" },
  ])
  expect([".env.example", ".env.schema", "env.sample"].every(isExampleFile)).toBe(true)
  expect([".env", ".env.production"].some(isExampleFile)).toBe(false)
})

test("what is too long is cut or left out", () => {
  const choices = Array.from({ length: 51 }, (_, at) => `c${at}`).join(", ")
  const long = `# ${"x".repeat(1_200)}\nA='${"y".repeat(1_200)}'\n# @type=enum(${choices})\nB=\n${"N".repeat(300)}=1\n`
  const found = newDescriptions(long, new Map(), { ...options, withExamples: true })
  expect(found).toEqual([{ name: "A", description: "x".repeat(1_000) }])
})
