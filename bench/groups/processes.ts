import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { hashPassword, passwordMatches } from "@envkeep/server/keys/password.ts"
import { type Group, onEachEngine } from "../bench.ts"
import { hold } from "../budgets.ts"
import { email, password } from "../client.ts"
import { requestText } from "../line.ts"
import { residentBytes } from "../machine.ts"
import { runProgram } from "../product.ts"
import { megabytes, milliseconds, times } from "../report.ts"
import { makeStore, type Served, serve, serveNew } from "../served.ts"
import { bulkRequest, readRequest, variableList } from "../stock.ts"
import { byTurns, compare, median, medianOf, timed } from "../turns.ts"

const startHead = {
  title: "Start to first answer",
  how: "From starting the built server on a store that is already there until a reader has its 50 variables.",
  columns: ["", "first answer"],
}

export const start = onEachEngine("start", startHead, async (bench, engine, rows) => {
  const store = await makeStore(bench, engine)
  const startedMs = await medianOf(bench.options.turns, async () => {
    const began = performance.now()
    const { read, stop } = await serve(bench, store)
    await read()
    const took = performance.now() - began
    await stop()
    return took
  })
  rows.add("", milliseconds(startedMs))
  rows.hold("start", "", startedMs)
})

/** V8 returns what a start leaves behind by itself, but not in the first seconds. */
const idleMs = 60_000

const memoryHead = {
  title: "Memory",
  how: "Resident set of the process. Idle: a minute after the start, with one read answered. Loaded: right after a turn of reads over 64 connections and a bulk save of 10,000 items.",
  columns: ["", "idle", "loaded"],
}

export const memory = onEachEngine("memory", memoryHead, async (bench, engine, rows) => {
  // Each with a store of its own. They wait together, since none of them does anything.
  const all: Served[] = []
  while (all.length < bench.options.turns) all.push(await serveNew(bench, engine))
  for (const { read } of all) await read()
  await wait(idleMs)
  const idle = median(all.map(({ pid }) => residentBytes(pid)))

  const loaded: number[] = []
  for (const { port, pid, stocked, ask, stop } of all) {
    await bench.load({ port, request: readRequest(stocked.key) })
    await ask(bulkRequest(stocked.cookie, stocked.environment.id, variableList(10_000)))
    loaded.push(residentBytes(pid))
    await stop()
  }
  rows.add("", megabytes(idle), megabytes(median(loaded)))
  rows.hold("idleMemory", "", idle / 1e6)
})

const loginHead = {
  title: "Login",
  how: "One after the other, over one connection. For comparison: the password check alone, which is slow on purpose.",
  columns: ["", "login", "password check alone", "times"],
}

export const login = onEachEngine("login", loginHead, async (bench, engine, rows) => {
  const { ask } = await serveNew(bench, engine, { variables: 1 })
  const request = requestText({ method: "POST", path: "/api/users/login", body: { email, password } })
  const stored = await hashPassword(password, "bench")
  const repeats = Math.min(bench.options.calls, 20)
  const { first, second, ratio } = await compare(
    bench.options.turns,
    () => medianOf(repeats, () => timed(() => passwordMatches(stored, password, "bench"))),
    () => medianOf(repeats, () => ask(request)),
  )
  rows.add("", milliseconds(second), milliseconds(first), times(ratio))
})

const client = join(import.meta.dirname, "../../client/dist")

export const commandLine: Group = {
  name: "command-line",
  async run(bench) {
    const [cli, index] = [join(client, "cli.cjs"), join(client, "index.js")]
    const { url, stocked } = await serveNew(bench, "sqlite")
    const env = { ENVKEEP_URL: url, ENVKEEP_KEY: stocked.key }
    const load = `import { load } from ${JSON.stringify(index)}; (await load()).apply()`
    const calls = Math.min(bench.options.calls, 10)
    const node =
      (...args: string[]) =>
      () =>
        medianOf(calls, async () => {
          const { code, err, ms } = await runProgram(args, env)
          if (code !== 0) throw new Error(`node ${args.join(" ")} ended with ${code}: ${err}`)
          return ms
        })
    const programs = {
      "`node -e 0`": node("-e", "0"),
      "`envkeep --version`": node(cli, "--version"),
      "`envkeep run -- true`": node(cli, "run", "--", "true"),
      "`envkeep help push`": node(cli, "help", "push"),
      "`envkeep diff` of two files": node(cli, "diff", "/dev/null", "/dev/null"),
      "`load()` and `apply()` in a program": node("--input-type=module", "-e", load),
    }
    const results = await byTurns(bench.options.turns, programs)
    const bare = results["`node -e 0`"]
    const over = (times: number[]) => median(times.map((time, turn) => time - (bare[turn] ?? Number.NaN)))
    const rows = Object.entries(results).map(([name, times]) => [
      name,
      ...[median(times), over(times)].map(milliseconds),
    ])
    return [
      {
        title: "Client and command line",
        how: "From starting the process to its end; 50 variables, the server on the same machine.",
        columns: ["", "whole process", "over bare Node"],
        rows,
        held: [
          hold("run", "SQLite", over(results["`envkeep run -- true`"])),
          hold("command", "help", over(results["`envkeep help push`"])),
          hold("command", "diff", over(results["`envkeep diff` of two files"])),
        ],
      },
    ]
  },
}
