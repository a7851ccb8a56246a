import { expect, test } from "vitest"
import { readImport } from "./index.ts"

const vault = "it was encrypted by Ansible Vault. Decrypt it, and import the result"
const unknown = (tag: string) => `it has the tag ${tag}, whose meaning only the program knows that it was written for`

const outcomeOf = async (text: string) => {
  const { entries, faults } = await readImport(text, "yaml")
  return { values: Object.fromEntries(entries.map(({ name, value }) => [name, value])), faults }
}

test("a value that Ansible Vault encrypted is reported, and the others are read", async () => {
  const text = `A: 1
PASSWORD: !vault |
  $ANSIBLE_VAULT;1.1;AES256
  62313365396662343061393464336163383764373764613633653634306231386433626436623361
OLD: !vault-encrypted |
  3333
B: 2
`
  expect(await outcomeOf(text)).toEqual({
    values: { A: "1", B: "2" },
    faults: [
      { line: 2, reason: vault },
      { line: 5, reason: vault },
    ],
  })
})

test("a ciphertext of Ansible Vault without its tag is refused", async () => {
  const { entries, refusal } = await readImport("A: 1\nB: |\n  $ANSIBLE_VAULT;1.1;AES256\n  6231\n")
  expect({ entries, refusal }).toEqual({ entries: [], refusal: expect.stringMatching(/Ansible Vault\. Run/) })
})

test.each([
  ["A: !Ref Parameter", "!Ref"],
  [`A: !Sub "\${Host}/app"`, "!Sub"],
  ["A: !Sub [text, {Host: a}]", "!Sub"],
  ["A: !GetAtt Database.Host", "!GetAtt"],
  ["A: !Join ['', [a, b]]", "!Join"],
  ["A: !env_var HOME", "!env_var"],
  ["A: !!binary aGk=", "!!binary"],
  ["A: !!set {a}", "!!set"],
  ["%TAG !! tag:example.com,2000:\n---\nA: !!str text", "tag:example.com,2000:str"],
  ["!Ref A: text", "!Ref"],
  ["A: !<tag:example.com,2000:x> text", "tag:example.com,2000:x"],
])("%j is reported by its tag", async (text, tag) => {
  const line = text.startsWith("%") ? 3 : 1
  expect(await outcomeOf(`${text}\nB: 1`)).toEqual({ values: { B: "1" }, faults: [{ line, reason: unknown(tag) }] })
})

test("it is reported once, wherever variables are read from", async () => {
  const inPairs =
    "services:\n  web:\n    environment:\n      A: !x 1\n      B: 2\n  db:\n    environment: [C=3, !x D=4]"
  const reason = unknown("!x")
  expect(await outcomeOf(inPairs)).toEqual({
    values: { B: "2", C: "3" },
    faults: [
      { line: 4, reason },
      { line: 7, reason },
    ],
  })
  const compose = "services:\n  web:\n    environment: !override\n      A: 1"
  expect((await outcomeOf(compose)).faults).toEqual([{ line: 4, reason: unknown("!override") }])
  const secret = "apiVersion: v1\nkind: Secret\ndata:\n  A: !x aGk=\nstringData:\n  B: !x 1\n  C: 2"
  expect(await outcomeOf(secret)).toMatchObject({ values: { C: "2" }, faults: [{ line: 4 }, { line: 6 }] })
})

test("an alias of such a value is reported too", async () => {
  const reason = "an alias in it stands for something that cannot be read"
  expect(await outcomeOf("A: &a !x 1\nB: *a\nC: 3")).toEqual({
    values: { C: "3" },
    faults: [
      { line: 1, reason: unknown("!x") },
      { line: 2, reason },
    ],
  })
})

test("tags of the core schema say that a value is the text that was written", async () => {
  const text = 'A: !!str null\nB: !!int 0x10\nC: !!float 1.10\nD: !!bool yes\nE: ! 5\nF: !!str\nG: !!str "7"'
  const values = { A: "null", B: "0x10", C: "1.10", D: "yes", E: "5", F: "", G: "7" }
  expect(await outcomeOf(text)).toEqual({ values, faults: [] })
})

test("a name is the text that was written, and never empty", async () => {
  expect(await outcomeOf("null: a\nNull: b\nTrue: c\n1: d")).toEqual({
    values: { null: "a", Null: "b", True: "c", 1: "d" },
    faults: [],
  })
  const reason = "its name is not text"
  expect(await outcomeOf("A: 1\n: b\n? [x]\n: c")).toEqual({
    values: { A: "1" },
    faults: [
      { line: 2, reason },
      { line: 3, reason },
    ],
  })
})
