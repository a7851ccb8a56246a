import { spawnSync } from "node:child_process"
import { EnvkeepError, type ErrorCode, load, type Variable } from "./index.ts"
import { putIntoProcess } from "./put-into-process.ts"

// `require("envkeep/apply")`. CommonJS cannot wait for an answer, so another process does: it is started with this very
// file, reads the variables, and hands them over through its standard output.

type Handed = { variables: Variable[] } | { code: ErrorCode; message: string }

if (require.main === module) {
  load().then(
    ({ variables }) => hand({ variables: [...variables] }),
    ({ code, message }) => hand({ code, message }),
  )
} else {
  // Without NODE_OPTIONS: this file may be named there, and would start itself for ever.
  const env = { ...process.env, NODE_OPTIONS: "" }
  const { stdout } = spawnSync(process.execPath, [__filename], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 2 ** 30,
    encoding: "utf8",
  })
  const handed: Handed = JSON.parse(stdout)
  if ("code" in handed) throw new EnvkeepError(handed.code, handed.message)
  putIntoProcess(handed.variables, false)
}

function hand(handed: Handed): void {
  process.stdout.write(JSON.stringify(handed))
}
