import { arch, cpus, release, totalmem, type } from "node:os"
import type { Bench } from "./bench.ts"
import { onServer } from "./store.ts"

/** The machine that the figures were measured on: without it they mean nothing. */
export async function describeMachine(bench: Bench): Promise<[string, string][]> {
  const cores = cpus()
  return [
    ["Processor", `${cores[0]?.model.trim() ?? "unknown"}, ${cores.length} cores, ${arch()}`],
    ["Memory", `${(totalmem() / 2 ** 30).toFixed(0)} GiB`],
    ["System", `${type()} ${release()}`],
    ["Node", process.version],
    ["SQLite", `${process.versions["sqlite"]}, WAL, synchronous=FULL`],
    ["PostgreSQL", await describePostgres(await bench.postgres())],
    ["Date", new Date().toISOString().slice(0, 10)],
  ]
}

async function describePostgres(url: string): Promise<string> {
  const setting = async (name: string) => String(Object.values((await onServer(url, `show ${name}`))[0] ?? {})[0])
  const values = [(await setting("server_version")).split(" ")[0]]
  for (const name of ["fsync", "synchronous_commit", "full_page_writes"]) {
    values.push(`${name}=${await setting(name)}`)
  }
  return values.join(", ")
}
