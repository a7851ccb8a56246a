import { spawnSync } from "node:child_process"
import { EnvkeepError, type ErrorCode, load, type Variable } from "./index.ts"
import { applyToProcess } from "./process-env.ts"
import { stopProgram } from "./stop-program.ts"

// `require("envkeep/apply")`. CommonJS cannot wait for an answer, so a child process does: it runs this same file, reads
// the variables, and writes them to its standard output.

type Result = { variables: Variable[] } | { code: ErrorCode; message: string }

if (require.main === module) {
  load().then(
    ({ variables }) => send({ variables: [...variables] }),
    ({ code, message }) => send({ code, message }),
  )
} else {
  // Without NODE_OPTIONS, which may name this file: it would start itself forever.
  const env = { ...process.env, NODE_OPTIONS: "" }
  const { stdout } = spawnSync(process.execPath, [__filename], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 2 ** 30,
    encoding: "utf8",
  })
  // Nothing comes from a child that could not start, or was killed for its memory.
  const result: Result = stdout ? JSON.parse(stdout) : { code: "server", message: "The variables could not be read" }
  if ("variables" in result) applyToProcess(result.variables, false)
  else stopProgram(new EnvkeepError(result.code, result.message))
}

function send(result: Result): void {
  process.stdout.write(JSON.stringify(result))
}
