import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFile, writeFile } from "node:fs/promises"
import { delimiter, join } from "node:path"
import { expect, onTestFinished, test, vi } from "vitest"
import { mergeVariables, sendSignal } from "../src/run-command.ts"
import { temporaryFolder } from "./world.ts"

test("on Windows names that differ in their case only are one variable, and the stronger one stays", () => {
  const [stored, set] = [
    { PATH: "stored", A: "stored" },
    { Path: "set", B: "set" },
  ]
  expect(mergeVariables(stored, set, "win32")).toEqual({ Path: "set", A: "stored", B: "set" })
  expect(mergeVariables(set, stored, "win32")).toEqual({ PATH: "stored", A: "stored", B: "set" })
  expect(mergeVariables(stored, set, "linux")).toEqual({ PATH: "stored", Path: "set", A: "stored", B: "set" })
})

test("on Windows a command is ended with everything that it has started", async () => {
  const folder = await temporaryFolder()
  const log = join(folder, "log")
  await writeFile(join(folder, "taskkill"), `#!/bin/sh\necho "$*" >> '${log}'\nkill -KILL "$4"\n`, { mode: 0o755 })
  vi.stubEnv("PATH", [folder, process.env["PATH"]].join(delimiter))
  onTestFinished(() => void vi.unstubAllEnvs())
  const child = spawn("sleep", ["600"])
  onTestFinished(() => void child.kill("SIGKILL"))
  const ended = once(child, "exit")
  sendSignal(child, "SIGWINCH", "win32")
  sendSignal(child, "SIGTERM", "win32")
  await ended
  expect(await readFile(log, "utf8")).toBe(`/T /F /PID ${child.pid}\n`)
})

test("elsewhere it gets the signal itself", async () => {
  const child = spawn("sleep", ["600"])
  onTestFinished(() => void child.kill("SIGKILL"))
  const ended = once(child, "exit")
  sendSignal(child, "SIGHUP", "linux")
  expect(await ended).toEqual([null, "SIGHUP"])
})
