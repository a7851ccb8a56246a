import { openDatabase } from "@envkeep/server/db/open.ts"
import { newStoreLocation, type StoreLocation } from "@envkeep/testing/database.ts"
import { eventually } from "@envkeep/testing/eventually.ts"
import { run } from "@envkeep/testing/process.ts"
import { sql } from "kysely"
import { expect, test, vi } from "vitest"

type Server = ReturnType<typeof run>

/** What runs every minute, or less often, runs ten times a second. */
const hurried = `
  const { setInterval } = globalThis
  globalThis.setInterval = (work, ms, ...args) => setInterval(work, ms >= 60_000 ? 100 : ms, ...args)`

const env = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hurried)}`,
  ENVKEEP_ROOT_KEY: "33".repeat(32),
}

const ofOneNode = "count what there is today"
const ofEveryNode = "chain events"

/** From here on, these two jobs fail whenever they run, and the log says in which process that was. */
async function makeJobsFail({ dataDir }: StoreLocation, url: string): Promise<void> {
  const { db } = await openDatabase({ dataDir })
  await sql`delete from daily_count`.execute(db)
  for (const trigger of [
    sql`create trigger no_count before insert on daily_count begin select raise(abort, 'no'); end`,
    sql`create trigger no_chain before update on audit_event begin select raise(abort, 'no'); end`,
  ]) {
    await trigger.execute(db)
  }
  await db.destroy()
  // Connections go to the workers in turn, and each chains events if it has written some.
  const headers = { "content-type": "application/json", connection: "close" }
  const password = "a good password"
  const form = (username: string) => ({ username, email: `${username}@example.com`, password, password2: password })
  for (const name of ["ann", "bob", "eve", "joe", "kim", "lea"]) {
    await fetch(`${url}/api/users/register`, { method: "POST", headers, body: JSON.stringify(form(name)) })
  }
}

/** The process of each run of a job, in order. */
function runsOf(job: string, servers: Server[], from = 0): number[] {
  const lines = servers.flatMap(({ output }) =>
    output.out
      .slice(from)
      .split("\n")
      .slice(from === 0 ? 0 : 1, -1),
  )
  return lines
    .filter((line) => line.includes("a job failed"))
    .map((line) => JSON.parse(line) as { job: string; pid: number })
    .flatMap((one) => (one.job === job ? [one.pid] : []))
}

const listening = ({ output }: Server) =>
  new Set(Array.from(output.out.matchAll(/"pid":(\d+).*Server listening at/g), ([, pid]) => Number(pid)))

/** The one process that runs the jobs for all. */
async function runnerOf(servers: Server[], from = 0): Promise<number> {
  const runs = () => runsOf(ofOneNode, servers, from)
  await vi.waitFor(() => expect(runs().length).toBeGreaterThan(20), eventually)
  const pids = new Set(runs())
  expect(pids.size).toBe(1)
  return [...pids][0] ?? 0
}

test("one of the workers runs the jobs for all, and when it is killed, another one does", async () => {
  const location = await newStoreLocation()
  const server = run(location, { env: { ...env, ENVKEEP_WORKERS: "3" } })
  const url = await server.url()
  await vi.waitFor(() => expect(listening(server).size).toBe(3), eventually)
  await makeJobsFail(location, url)

  const first = await runnerOf([server])
  await vi.waitFor(() => expect(new Set(runsOf(ofEveryNode, [server]))).toEqual(listening(server)), eventually)
  process.kill(first, "SIGKILL")
  await vi.waitFor(() => expect(server.output.out).toContain("another one replaces it"), eventually)
  const second = await runnerOf([server], server.output.out.length)
  expect(second).not.toBe(first)
  await vi.waitFor(() => expect(listening(server).size).toBe(4), eventually)
  expect(await runnerOf([server], server.output.out.length)).toBe(second)
})

test("so does one of two servers on a data folder, and when it stops, the other one", async () => {
  const location = await newStoreLocation()
  const servers = [run(location, { env }), run(location, { env })]
  const [url] = await Promise.all(servers.map((server) => server.url()))
  await makeJobsFail(location, url ?? "")

  const first = await runnerOf(servers)
  const [stopping, staying] = servers[0]?.child.pid === first ? servers : servers.toReversed()
  stopping?.child.kill("SIGTERM")
  await stopping?.ended
  if (staying !== undefined) expect(await runnerOf([staying])).toBe(staying.child.pid)
})
