import { calls, limits, refusal } from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import { countTurns } from "@envkeep/testing/count-turns.ts"
import { testOnce as test } from "@envkeep/testing/once.ts"
import { makeEveryStepLong } from "@envkeep/testing/slow-steps.ts"
import { expect } from "vitest"

// Bodies that are long lists are checked before it is known whether the caller may change anything.

const { names, items, environments } = calls
const choices = Array.from({ length: limits.choicesPerName }, (_, at) => `choice ${at}`)

const lists = [
  { call: names.describeMany, count: 1_000, query: "", line: (name: string) => ({ name, kind: "choice", choices }) },
  { call: items.saveMany, count: 1_000, query: "", line: (name: string) => ({ name, value: "v" }) },
  { call: environments.saveAll, count: 5_000, query: "", line: (name: string) => ({ name, value: "v" }) },
  { call: environments.copy, count: 5_000, query: "from=1", line: (name: string) => name },
] as const

type List = (typeof lists)[number]

const linesOf = ({ line }: List, count: number) => Array.from({ length: count }, (_, at) => line(`N${at}`))

async function stranger() {
  const ann = await (await testApp()).user()
  return (list: List, { id = "1", body, query = "" }: { id?: string; body: unknown; query?: string }) =>
    ann.send({
      method: list.call.method,
      url: `/api${list.call.path.replace("{id}", id)}?${list.query}&${query}`,
      headers: { "content-type": "application/json" },
      payload: JSON.stringify(body),
    })
}

test.each(lists)("other requests get their turns while $call.path checks a long list", async (list) => {
  const send = await stranger()
  const body = [...linesOf(list, list.count - 1), list.line("a=b")]
  makeEveryStepLong()
  const turns = countTurns()
  const answer = await send(list, { body })
  const turnsTaken = turns()
  const msg = `Item ${list.count}: Name cannot contain an equals sign or a line break`
  expect(answer).toMatchObject({ status: 400, body: { msg } })
  expect(turnsTaken).toBeGreaterThanOrEqual(list.count - 1)
})

test.each(lists)("of several faults, $call.path tells the one that its schema finds first", async (list) => {
  const send = await stranger()
  const { call } = list
  const bodies = [linesOf(list, 2), [], [list.line("A"), list.line("")], [list.line("A"), 1], {}, null, "text", 1]
  const told = new Set<string>()
  for (const body of bodies) {
    for (const id of ["1", "x"]) {
      for (const note of ["why", "x".repeat(limits.note + 1)]) {
        const answer = await send(list, { id, body, query: `note=${note}` })
        const rest = call === names.describeMany ? {} : call === environments.copy ? { from: "1", note } : { note }
        const { error } = call.input.safeParse({ id: Number(id), ...rest, [call.body ?? ""]: body })
        const expected = error === undefined ? [404, expect.stringMatching(/ not found$/)] : [400, refusal(error)]
        expect([body, id, answer.status, answer.body.msg]).toEqual([body, id, ...expected])
        told.add(answer.body.msg)
      }
    }
  }
  expect(told.size).toBeGreaterThan(4)
})
