import { join } from "node:path"
import type { Group } from "../bench.ts"
import { hold } from "../budgets.ts"
import { runProgram } from "../program.ts"
import { milliseconds } from "../report.ts"
import { serveNew } from "../served.ts"
import { byTurns, median, medianOf } from "../turns.ts"

const client = join(import.meta.dirname, "../../client/dist")

export const commandLine: Group = {
  name: "command-line",
  async run(bench) {
    const [cli, index] = [join(client, "cli.cjs"), join(client, "index.js")]
    const { url, stocked } = await serveNew(bench, "sqlite")
    const env = { ENVKEEP_URL: url, ENVKEEP_KEY: stocked.key }
    const load = `import { load } from ${JSON.stringify(index)}; (await load()).apply()`
    const node = (...args: string[]) => {
      return () =>
        medianOf(Math.min(bench.options.calls, 10), async () => {
          const { code, err, ms } = await runProgram(args, env)
          if (code !== 0) throw new Error(`node ${args.join(" ")} ended with ${code}: ${err}`)
          return ms
        })
    }
    const results = await byTurns(bench.options.turns, {
      node: node("-e", "0"),
      version: node(cli, "--version"),
      run: node(cli, "run", "--", "true"),
      help: node(cli, "help", "push"),
      diff: node(cli, "diff", "/dev/null", "/dev/null"),
      load: node("--input-type=module", "-e", load),
    })

    const over = (times: number[]) => median(times.map((time, turn) => time - (results.node[turn] ?? Number.NaN)))
    const row = (name: string, times: number[]) => [name, milliseconds(median(times)), milliseconds(over(times))]
    return [
      {
        title: "Client and command line",
        how: "From starting the process to its end; 50 variables, the server on the same machine.",
        columns: ["", "whole process", "over bare Node"],
        rows: [
          row("`node -e 0`", results.node),
          row("`envkeep --version`", results.version),
          row("`envkeep run -- true`", results.run),
          row("`envkeep help push`", results.help),
          row("`envkeep diff` of two files", results.diff),
          row("`load()` and `apply()` in a program", results.load),
        ],
        held: [
          hold("run", "SQLite", over(results.run)),
          hold("command", "help", over(results.help)),
          hold("command", "diff", over(results.diff)),
        ],
      },
    ]
  },
}
