import { expect, test } from "vitest"
import { detectSyntax, type Syntax } from "./index.ts"

test.each<[string, Syntax]>([
  [' \n{"A": "1"}', "json"],
  ['\ufeff{"A": "1"}', "json"],
  ["[default]\nkey = 1", "dotenv"],
  ["A={}", "dotenv"],
  ["", "dotenv"],
  ["A=b: c", "dotenv"],
  ["export A=1\nB=2", "dotenv"],
  ["export A=1\n# B=2\nexport B=2", "shell"],
  ["A='it'\\''s'", "shell"],
  ["A: 1", "yaml"],
  ["# comment\n\nservices:\n  web:", "yaml"],
  ["- A=1", "yaml"],
  ["---\nA: 1", "yaml"],
  ["-----BEGIN KEY-----", "dotenv"],
  ["=== my-app Config Vars\nA: 1", "heroku"],
])("%j is read as %s", (text, syntax) => {
  expect(detectSyntax(text)).toBe(syntax)
})
