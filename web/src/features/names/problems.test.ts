import { notDescribed } from "@envkeep/contract"
import { expect, test } from "vitest"
import { misfit, problemsOf } from "./problems.ts"

const port = { ...notDescribed("PORT"), kind: "port" as const, isRequired: true }
const url = { ...notDescribed("URL"), kind: "url" as const }
const level = { ...notDescribed("LEVEL"), kind: "choice" as const, choices: ["debug", "info"], isRequired: true }
const abouts = new Map([port, url, level].map((about) => [about.name, about]))

const items = (values: Record<string, string | null>) =>
  Object.entries(values).map(([name, value]) => ({ name, value }))

test("an environment lacks its required names, and values that do not fit are named with the reason", () => {
  const { missing, misfits } = problemsOf(items({ PORT: "http", URL: "example.com", OTHER: "" }), abouts)
  expect(missing).toEqual([level])
  expect(misfits).toEqual([
    { name: "PORT", why: "It should be a whole number from 1 to 65535." },
    { name: "URL", why: "It should be an address with a scheme, such as https://example.com." },
  ])
})

test("an empty value is a problem only where one is required, and a hidden value never is", () => {
  expect(misfit(port, "")).toBe("It is required, but empty.")
  expect(misfit(url, "")).toBeUndefined()
  expect(misfit(port, null)).toBeUndefined()
  expect(misfit(undefined, "anything")).toBeUndefined()
  expect(misfit(level, "warn")).toBe("It should be one of debug, info.")
  expect(problemsOf(items({ PORT: null, LEVEL: null }), abouts)).toEqual({ missing: [], misfits: [] })
})
