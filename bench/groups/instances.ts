import { setTimeout as wait } from "node:timers/promises"
import { instanceHeaderName } from "@envkeep/contract"
import { onEachEngine } from "../bench.ts"
import { hold } from "../budgets.ts"
import { call } from "../client.ts"
import { engineNames } from "../engines.ts"
import { requestText } from "../load/request.ts"
import { residentBytes } from "../process-figures.ts"
import { megabytes, short, times, whole } from "../report.ts"
import { type Served, serveNew } from "../served.ts"
import { readPath } from "../stock.ts"
import { compare } from "../turns.ts"

const size = 10_000

const head = {
  title: `${whole(size)} instances`,
  how: "Each has read once and named itself. Memory of the process before and after that, and reads by one that names itself, over 64 connections: with all of them, and side by side on a server that knows no other.",
  columns: ["", "memory before", "with all of them", "kB each", "reads/s alone", "with all of them", "of alone"],
}

export const instances = onEachEngine("instances", head, async (bench, engine, section) => {
  const [alone, crowded] = [await serveNew(bench, engine), await serveNew(bench, engine)]
  const before = residentBytes(crowded.pid)
  for (let n = 0; n < size; n++) await crowded.ask(namedRead(crowded, `host-${n}`))
  await untilSaved(crowded)
  const after = residentBytes(crowded.pid)

  const rate = (served: Served) => async () => {
    const load = { port: served.port, request: namedRead(served, "reader"), status: 200, connections: 64 }
    return (await bench.load({ ...load, seconds: bench.options.race.seconds })).perSecond
  }
  const { first, second, ratio } = await compare(bench.options.race.turns, rate(alone), rate(crowded))
  section.rows.push([
    engineNames[engine],
    megabytes(before),
    megabytes(after),
    short((after - before) / size / 1000),
    whole(first),
    whole(second),
    times(ratio),
  ])
  section.held.push(hold("instances", engineNames[engine], ratio))
  for (const { stop } of [alone, crowded]) await stop()
})

function namedRead({ stocked: { key } }: Served, label: string): string {
  const named = { "user-agent": "envkeep/0.2.0", [instanceHeaderName]: `${label};1` }
  return requestText({ path: readPath, headers: { authorization: `Bearer ${key}`, ...named } })
}

async function untilSaved({ url, stocked: { cookie, collectionId } }: Served): Promise<void> {
  for (;;) {
    const path = `/collections/${collectionId}/instances`
    const counts = await call<{ running: number }[]>(url, { path, headers: { cookie } })
    if (counts[0]?.running === size) return
    await wait(100)
  }
}
