import { onEachEngine } from "../bench.ts"
import { engineNames } from "../engines.ts"
import { megabytes, milliseconds, whole } from "../report.ts"
import { thirds } from "../traffic/leftovers.ts"
import { judgeSoak, runSoak } from "../traffic/soak.ts"

/** If it is named. In the whole run it is short, and without idle connections, which have a group of their own. */
const usual = { minutes: 10, idle: 5_000 }

const head = {
  title: "Mixed traffic",
  how: "Eight users make every kind of call, next to ninety connections that are slow, silent or never read. Memory is the median of the second and of the last third; files and sockets are counted before and after; a probe reports the slowest read. In the whole run this is too short to judge memory by: `npm run bench -- soak` takes ten minutes.",
  columns: ["", "calls", "failed", "memory", "later", "files", "later", "slowest read"],
}

export const soak = onEachEngine("soak", head, async (bench, engine, section) => {
  const { only, quick, minutes, idle } = bench.options
  const size = only.includes("soak") ? usual : { minutes: quick ? 0.1 : 0.2, idle: 0 }
  const soaked = await runSoak(bench, engine, { minutes: minutes ?? size.minutes, idle: idle ?? size.idle })
  for (const line of soaked.findings.lines()) bench.say(`    ${line}`)
  const [second, last] = thirds(soaked.rss)
  section.rows.push([
    engineNames[engine],
    whole(soaked.calls),
    whole(soaked.findings.count("failedCalls")),
    megabytes(second),
    megabytes(last),
    String(soaked.before.files[0]),
    String(soaked.after.files[0]),
    milliseconds(soaked.slowestReadMs),
  ])
  section.held.push(...judgeSoak(engineNames[engine], soaked))
})
