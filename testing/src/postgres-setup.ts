import type { TestProject } from "vitest/node"
import { startPostgres } from "./machine/postgres.ts"

declare module "vitest" {
  interface ProvidedContext {
    postgresUrl: string
  }
}

/** Starts one server for the whole test run. Each test creates its own database in it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const postgres = await startPostgres()
  project.provide("postgresUrl", postgres.url)
  return postgres.stop
}
