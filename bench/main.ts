import { runProgram } from "@envkeep/testing/machine/program.ts"
import { readOptions } from "./options.ts"
import { usageOf } from "./usage.ts"

const args = process.argv.slice(2)
process.exitCode = await runProgram(args, {
  ...usageOf(args),
  async run() {
    const options = readOptions(args)
    // What measures takes seconds to load, so wrong options are refused before.
    const { runBench } = await import("./measure.ts")
    return runBench(options)
  },
})
