import type { Group } from "../bench.ts"
import { liveOneDay } from "../day/run.ts"
import { judge, type Outcome } from "../day/verdict.ts"
import { MisuseError } from "../options.ts"
import { megabytes, milliseconds, short, whole } from "../report.ts"
import { thirds } from "../traffic/leftovers.ts"

const usualMinutes = 60
/** In a shorter run, the events take all of the time. */
const leastMinutes = 2

export const day: Group = {
  name: "day",
  isOnRequest: true,
  async run(bench) {
    const { minutes = usualMinutes } = bench.options
    if (minutes < leastMinutes) throw new MisuseError(`a day takes ${leastMinutes} minutes or more`)
    const outcome = await liveOneDay(bench, minutes)
    for (const [text, count] of outcome.logged) bench.say(`  logged, ${count} times: ${text}`)
    for (const line of outcome.findings.lines()) bench.say(`  ${line}`)
    return [
      {
        title: "A day in an hour",
        how: "Mixed traffic on three nodes with a PostgreSQL standby, which are restarted, backed up, given another root key and failed over in the middle. README.md says how.",
        columns: ["", "figure"],
        rows: rowsOf(outcome),
        held: judge(outcome),
      },
    ]
  },
}

function rowsOf({ counts, writes, memory, before, after, events, slowestReadMs }: Outcome): string[][] {
  const memories = memory.map((rss) => thirds(rss).map(megabytes).join(" and "))
  return [
    ["Reads by key", whole(counts.reads)],
    ["Reads marked stale", whole(counts.staleReads)],
    ["The slowest read", milliseconds(slowestReadMs)],
    ["Confirmed writes", whole(writes)],
    ["Calls of people", whole(counts.personCalls)],
    ["Runs of the command", whole(counts.commandReads + counts.commandWrites)],
    ["Updates that watchers got", whole(counts.watcherUpdates)],
    ["Messages to webhooks, and those that came twice", `${whole(counts.webhookMessages)}, ${counts.repeatedMessages}`],
    ...events.map(({ name, seconds }) => [name, `${short(seconds)} s`]),
    ["Writes without an answer, and refused calls", `${counts.unknownWrites}, ${counts.refusedCalls}`],
    ["Memory of the nodes, second and last third", memories.join(", ")],
    ["Files and sockets of a node, before and after", `${before.files.join(", ")}; ${after.files.join(", ")}`],
    ["Connections to PostgreSQL, before and after", `${before.connections}, ${after.connections}`],
  ]
}
