import assert from "node:assert/strict"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { createInterface } from "node:readline"

type Environment = NodeJS.ProcessEnv

const root = join(import.meta.dirname, "..")

/** Pids as npm and the server have them, and what sends the signal: a supervisor, or a terminal to the whole group. */
type Stop = (pids: { npm: number; server: number }) => void

const stops: Record<string, Stop> = {
  "SIGTERM to npm": ({ npm }) => process.kill(npm, "SIGTERM"),
  "SIGTERM to the group": ({ npm }) => process.kill(-npm, "SIGTERM"),
  "SIGTERM to the server": ({ server }) => process.kill(server, "SIGTERM"),
  "SIGINT to the group": ({ npm }) => process.kill(-npm, "SIGINT"),
}

/** However `npm start` is stopped, the server stops cleanly, and npm returns its code when it has ended. */
export async function stopThroughNpm(environment: Environment, dataDir: string): Promise<void> {
  const running: ChildProcess[] = []
  const start = (command: string[], settings: Environment = {}) => {
    const child = startInGroup(command, { ...environment, PORT: "0", ENVKEEP_DATA_DIR: dataDir, ...settings })
    running.push(child)
    return child
  }
  // The second as on Windows, where the shell has no `exec`.
  const withoutExec = [process.execPath, "scripts/exec.cjs", "node", "scripts/start.cjs"]
  try {
    for (const command of [["npm", "start"], withoutExec]) {
      for (const [what, stop] of Object.entries(stops)) await expectCleanStop(what, start(command), stop)
      const [code] = await once(start(command, { PORT: "not a port" }), "exit")
      assert.equal(code, 78, "npm start passes the exit code on")
    }
  } finally {
    for (const { pid = 0, exitCode, signalCode } of running) {
      if (exitCode === null && signalCode === null) process.kill(-pid, "SIGKILL")
    }
  }
}

async function expectCleanStop(what: string, npm: ChildProcess, stop: Stop): Promise<void> {
  const lines: string[] = []
  npm.stdout?.on("data", (piece) => void lines.push(String(piece)))
  const closed = once(npm, "close")
  const exited = once(npm, "exit")
  await address(npm)
  const server = Number(/"pid":(\d+)/.exec(lines.join(""))?.[1])
  stop({ npm: npm.pid ?? 0, server })
  assert.deepEqual(await exited, [0, null], `${what}: npm returns the code of the server`)
  assert.throws(() => process.kill(server, 0), { code: "ESRCH" }, `${what}: the server has ended before npm has`)
  await closed
  assert.match(lines.join(""), /"msg":"stopped"/, `${what}: the server stops cleanly`)
}

/** As a terminal and most supervisors start it. */
function startInGroup([command = "", ...args]: string[], env: Environment): ChildProcess {
  return spawn(command, args, {
    cwd: root,
    // Long enough to see whether npm waits for it.
    env: { ...env, ENVKEEP_DRAIN_SECONDS: "1" },
    stdio: ["ignore", "pipe", "ignore"],
    detached: true,
  })
}

/** The log says where the server listens; it names the port that the system chose. */
export async function address({ stdout }: ChildProcess): Promise<string> {
  assert(stdout)
  for await (const line of createInterface({ input: stdout })) {
    const found = /Server listening at (http:\/\/[\d.:]+)/.exec(line)?.[1]
    if (found === undefined) continue
    stdout.resume()
    return found
  }
  return assert.fail("the server closed its log before it listened")
}
