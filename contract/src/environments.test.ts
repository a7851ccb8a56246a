import fc from "fast-check"
import { expect, test } from "vitest"
import { environments } from "./environments.ts"
import { items } from "./items.ts"
import { limits } from "./limits.ts"

const long = (unit: string, most: number) => fc.integer({ min: most - 1, max: most + 1 }).map((n) => unit.repeat(n))

const ordinary = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]*$/)
const odd = fc.constantFrom(" ", "\n", "=", ".", "\0", "\u00a0", "é", "\ud800")
const names = fc.oneof(
  ordinary,
  fc.tuple(odd, ordinary).map((parts) => parts.join("")),
  fc.tuple(ordinary, odd).map((parts) => parts.join("")),
  fc.string({ unit: "binary" }),
  long("A", limits.itemName),
  long("🔑", limits.itemName),
)
const values = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.constantFrom("a\0b", "\ud800", "€".repeat(21_845), `${"€".repeat(21_845)}aa`),
  long("x", limits.itemValueBytes),
)
const usually = <Made>(made: fc.Arbitrary<Made>) =>
  fc.oneof({ weight: 9, arbitrary: made as fc.Arbitrary<unknown> }, { weight: 1, arbitrary: fc.anything() })

test("a line of a list is accepted and refused exactly like the same item alone", () => {
  fc.assert(
    fc.property(usually(names), usually(values), usually(fc.constant(false)), (name, value, more) => {
      fc.pre(typeof name !== "string" || name.trim() !== "")
      const line = more === false ? { name, value } : { name, value, more }
      const alone = items.update.input.safeParse({ id: 1, ...line })
      const listed = environments.saveAll.input.safeParse({ id: 1, items: [line] })
      expect(listed.success).toBe(alone.success)
      if (alone.success && listed.success) {
        expect(listed.data.items).toEqual([{ name: alone.data.name, value: alone.data.value }])
      } else {
        expect(listed.error?.issues[0]?.message).toBe(alone.error?.issues[0]?.message)
      }
    }),
    { numRuns: 1_000 },
  )
})

test("a list with too many lines is refused as a whole", () => {
  const line = { name: "A", value: "v" }
  const save = (count: number) => environments.saveAll.input.safeParse({ id: 1, items: Array(count).fill(line) })
  expect(save(20_000).data?.items).toEqual([line])
  expect(save(20_001).error?.issues[0]?.message).toBe("A list can have at most 20,000 lines")
})
