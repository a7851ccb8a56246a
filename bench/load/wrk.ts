import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { installSystemPackages } from "@envkeep/testing/machine/packages.ts"
import { readPath } from "../stock.ts"

const answers = () => spawnSync("wrk", ["--version"]).error === undefined
let isThere: boolean | undefined

/** Whether wrk is installed, or could be. It uses so little that the server has nearly all cores. */
export function hasWrk(): boolean {
  isThere ??= answers() || (installSystemPackages(["wrk"]) && answers())
  return isThere
}

/** Reads by key from one thread of wrk: answers a second. */
export async function readByWrk(
  port: number,
  key: string,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<number> {
  const how = ["-t", "1", "-c", String(connections), "-d", `${Math.ceil(seconds)}s`]
  const what = ["-H", `authorization: Bearer ${key}`, `http://127.0.0.1:${port}${readPath}`]
  const child = spawn("wrk", [...how, ...what], { stdio: ["ignore", "pipe", "inherit"] })
  let said = ""
  child.stdout.on("data", (piece: Buffer) => {
    said += piece
  })
  await once(child, "close")
  const rate = /Requests\/sec:\s+([\d.]+)/.exec(said)?.[1]
  if (rate === undefined || /Non-2xx|Socket errors/.test(said))
    throw new Error(`wrk got errors instead of answers:\n${said}`)
  return Number(rate)
}
