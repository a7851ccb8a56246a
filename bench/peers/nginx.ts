import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { freePort } from "@envkeep/testing/machine/free-port.ts"
import { findNginx } from "@envkeep/testing/machine/nginx.ts"
import type { Bench } from "../bench.ts"
import { readPath } from "../stock.ts"
import { freshFolder } from "../store-location.ts"

/** nginx with the bytes as a static file, on one worker; `undefined` where it cannot be installed. */
export async function startNginx(bench: Bench, body: string): Promise<number | undefined> {
  const nginx = findNginx()
  if (nginx === undefined) {
    bench.say("nginx is not installed, so its row is left out")
    return undefined
  }
  const folder = await freshFolder(bench)
  const file = join(folder, "files", readPath)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, body)
  const port = await freePort()
  const settings = join(folder, "nginx.conf")
  await writeFile(settings, configuration(folder, port))
  const child = spawn(nginx, ["-p", folder, "-c", settings, "-e", join(folder, "error.log")], { stdio: "inherit" })
  const ended = once(child, "exit")
  bench.cleanup.later(async () => {
    child.kill("SIGTERM")
    await ended
  })
  await untilAnswering(`http://127.0.0.1:${port}${readPath}`)
  return port
}

function configuration(folder: string, port: number): string {
  // As root, nginx would run its worker as another user, which cannot read a temporary folder.
  const user = process.getuid?.() === 0 ? "user root;" : ""
  const folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((kind) => `${kind}_temp_path ${folder};`)
  return `daemon off; worker_processes 1; pid ${folder}/nginx.pid; ${user}
events { worker_connections 1024; }
http {
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000000; open_file_cache max=10;
  ${folders.join(" ")}
  server { listen 127.0.0.1:${port}; root ${folder}/files; default_type application/json; }
}
`
}

async function untilAnswering(url: string): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const answer = await fetch(url).catch(() => undefined)
    if (answer?.ok) return
    await wait(50)
  }
  throw new Error("nginx does not answer")
}
