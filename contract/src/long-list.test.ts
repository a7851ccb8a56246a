import fc from "fast-check"
import { expect, test } from "vitest"
import type { z } from "zod"
import type { Call } from "./call.ts"
import { calls } from "./index.ts"
import { limits } from "./limits.ts"
import type { CheckedList } from "./long-list.ts"

const { names, items, environments } = calls

test("the body of a call with more elements than usual can be checked in steps", () => {
  const all: Call[] = Object.values(calls).flatMap((group) => Object.values(group))
  const long = all.filter(({ bodyParts = 0 }) => bodyParts > limits.bodyParts)
  expect(long).toHaveLength(4)
  for (const { path, body, bodyInSteps } of long) {
    expect([path, typeof body, typeof bodyInSteps]).toEqual([path, "string", "function"])
  }
})

const text = fc.oneof(fc.constantFrom("A", "A ", "B", "", " ", "a=b", "\0", "\ud800", "x".repeat(1_001)), fc.string())
const usually = <Made>(made: fc.Arbitrary<Made>) =>
  fc.oneof({ weight: 9, arbitrary: made as fc.Arbitrary<unknown> }, { weight: 1, arbitrary: fc.anything() })
const anId = fc.integer({ min: 0, max: 3 })

const listsOf = (line: fc.Arbitrary<unknown>) => usually(fc.array(usually(line), { maxLength: 5 }))
const record = (fields: Record<string, fc.Arbitrary<unknown>>) => fc.record(fields, { requiredKeys: ["name"] })

const described = record({
  name: text,
  description: usually(text),
  isRequired: usually(fc.boolean()),
  kind: usually(fc.constantFrom("text", "choice")),
  choices: usually(fc.array(usually(text), { maxLength: 4 })),
})
const saved = record({ id: usually(anId), name: usually(text), value: usually(text), revision: usually(anId) })
const line = record({ name: usually(text), value: usually(text) })

const lists: [name: string, call: Call, schema: z.ZodType, sent: fc.Arbitrary<unknown>][] = [
  ["descriptions", names.describeMany, names.describeMany.input.shape.names, listsOf(described)],
  ["edited items", items.saveMany, items.saveMany.input.shape.items, listsOf(saved)],
  ["all items", environments.saveAll, environments.saveAll.input.shape.items, listsOf(line)],
  ["names to copy", environments.copy, environments.copy.input.shape.names, listsOf(text)],
]

function inSteps({ bodyInSteps }: Call, sent: unknown): CheckedList & { count: number } {
  const steps = bodyInSteps?.(sent)
  if (steps === undefined) throw new Error("This call has no long list")
  for (let count = 0; ; count++) {
    const step = steps.next()
    if (step.done) return { count, ...step.value }
  }
}

test.each(lists)("a list of %s is accepted and refused in steps as by its schema", (_, call, schema, sent) => {
  let refused = 0
  fc.assert(
    fc.property(sent, (sent) => {
      const { data, error } = schema.safeParse(sent)
      const { list, fault } = inSteps(call, sent)
      if (error !== undefined) refused++
      expect(fault?.message).toBe(error?.issues[0]?.message)
      expect(fault?.path).toEqual(error?.issues[0]?.path)
      expect(list).toEqual(data)
    }),
    { numRuns: 1_000 },
  )
  expect(refused).toBeGreaterThan(100)
  expect(refused).toBeLessThan(1_000)
})

test("a list is left at its first fault, and every line before it is a step", () => {
  const named = (count: number, name: (at: number) => unknown) =>
    Array.from({ length: count }, (_, at) => ({ name: name(at) }))
  const good = named(500, (at) => `N${at}`)
  const bad = named(500, () => 1)
  const check = (sent: unknown) => inSteps(names.describeMany, sent)
  expect(check(good)).toEqual({ count: 500, list: good })
  expect(check([...good, ...bad])).toMatchObject({ count: 500, fault: { path: [500, "name"] } })
})

test.each(lists.slice(0, 3))(
  "a list of %s that is too long is refused before its lines are checked",
  (_, call, schema) => {
    const sent = Array.from({ length: limits.bulkLines + 1 }, () => 1)
    const { count, fault } = inSteps(call, sent)
    expect(count).toBe(0)
    expect(fault?.message).toMatch(/^(At most|A list can have at most) /)
    expect(schema.safeParse(sent).error?.issues).toMatchObject([fault])
  },
)
