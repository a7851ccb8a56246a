import { arch, cpus, release, totalmem, type } from "node:os"
import pg from "pg"
import type { Bench } from "./bench.ts"

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
  const client = new pg.Client(url)
  await client.connect()
  const setting = async (name: string) => (await client.query(`show ${name}`)).rows[0]?.[name] as string
  const settings = ["fsync", "synchronous_commit", "full_page_writes"]
  const version = (await setting("server_version")).split(" ")[0]
  const values: string[] = []
  for (const name of settings) values.push(`${name}=${await setting(name)}`)
  await client.end()
  return [version, ...values].join(", ")
}
