import { expect, test } from "vitest"
import { describeSigns, findDotenvSigns, findKey, readDotenv } from "./raw-dotenv.ts"

const none = { comments: 0, exports: 0, quotes: 0, split: 0 }

test.each([
  ["# a comment", { comments: 1 }],
  ["export A=1", { exports: 1 }],
  ['A="quoted"', { quotes: 1 }],
  ["A='quoted' ", { quotes: 1 }],
  ['A="one\n# two\nthree"', { split: 1 }],
])("%j means something else in a .env file", (text, found) => {
  expect(findDotenvSigns(`B=2\n${text}\n`, "B=2\n")).toEqual({ ...none, ...found })
  expect(findDotenvSigns(`B=2\n${text}\n`, `${text}\n`)).toBeUndefined()
})

test.each(["A=1", "A=#fff", "exported=1", "export=1", "A=it's", 'A="', "A="])(
  "%j means the same everywhere",
  (text) => {
    expect(findDotenvSigns(text, "")).toBeUndefined()
  },
)

test("what Confirm would do is said in one clause", () => {
  expect(describeSigns({ comments: 2, exports: 1, quotes: 0, split: 1 })).toBe(
    "2 comments become names, 1 name starts with “export”, and 1 value is split at its line breaks",
  )
})

test("new lines are read as a .env file, and known ones literally", () => {
  const known = 'A="kept"\nB=old\n'
  const text = `${known}\n# a comment\nexport C="x # y"\nB=new\nCERT="one\n\ntwo"\n`
  expect(readDotenv(text, known)).toEqual({
    text: 'A="kept"\nB=new\nC=x # y\n',
    beside: [{ name: "CERT", value: "one\n\ntwo" }],
  })
})

test("a text that cannot be read is left alone, and its lines are named", () => {
  expect(readDotenv("A=1\n# note\nnot a variable\n", "A=1\n")).toEqual({
    faults: [{ line: 3, reason: "it is not a NAME=value line" }],
  })
})

test("a key without a name is found, unless its lines are stored already", () => {
  const key = "-----BEGIN KEY-----\nabcd\nTQ==\n-----END KEY-----"
  expect(findKey(`A=1\n${key}\nB=2`, "A=1")).toMatchObject({ line: 2, reason: expect.stringMatching(/without a name/) })
  expect(findKey(`A=1\n${key}`, key)).toBeUndefined()
  expect(findKey("A=-----BEGIN KEY-----\nB=2", "")).toBeUndefined()
})
