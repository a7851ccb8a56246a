import { spawnSync } from "node:child_process"
import { basename } from "node:path"
import { EnvkeepError, type ErrorCode, load, type Variable } from "./index.ts"
import { applyToProcess } from "./process-env.ts"
import { stopProgram } from "./stop-program.ts"

// `require("envkeep/apply")`. CommonJS cannot wait for an answer, so a child process does: it runs this same file, reads
// the variables, and writes them to its standard output.

type Result = { variables: Variable[] } | { code: ErrorCode; message: string }

if (basename(__filename) !== "apply.cjs") {
  // A bundler has made this a part of the program, which would start itself forever.
  const message = "envkeep/apply cannot be required in a bundle: make envkeep external, or import it"
  stopProgram(new EnvkeepError("bad_option", message))
} else if (require.main === module) {
  load().then(
    ({ variables }) => send({ variables: [...variables] }),
    ({ code, message }) => send({ code, message }),
  )
} else {
  // Of Node's options, only those about connections. Another may name this file: it would start itself forever.
  const given = [process.env["NODE_OPTIONS"], ...process.execArgv].join(" ")
  const options = given.match(/(?<!\S)--(use-env-proxy|use-[a-z]+-ca|tls-\S+|dns-result-order=\S+)(?!\S)/g) ?? []
  const env = { ...process.env, NODE_OPTIONS: options.join(" ") }
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
