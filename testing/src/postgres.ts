import type { TestProject } from "vitest/node"
import { startPostgres } from "./machine/postgres.ts"

declare module "vitest" {
  interface ProvidedContext {
    postgresUrl: string
  }
}

/** One server for the whole run; each test makes a database of its own in it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const postgres = await startPostgres()
  project.provide("postgresUrl", postgres.url)
  return postgres.stop
}
