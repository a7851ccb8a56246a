import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { testApp } from "@envkeep/testing/app.ts"
import { onTestFinished } from "vitest"
import type { Options } from "../src/index.ts"

/** A real listening server with an environment and a key for it. */
export async function world(
  variables: { name: string; value: string }[] = [{ name: "A", value: "1" }],
  options: Parameters<typeof testApp>[0] = {},
) {
  const app = await testApp(options)
  const url = await app.app.listen({ port: 0, host: "127.0.0.1" })
  const ann = await app.user()
  const environment = await ann.environment("production")
  const { key, id: keyId } = await ann.apiKey(environment, "ci")
  const bulk = (list: { name: string; value: string }[]) => ann.post(`/subcollection/${environment.id}/bulk`, list)
  if (variables.length > 0) await bulk(variables)
  return { ...app, url, ann, environment, key, keyId, bulk }
}

/** The settings of the command and of `load()` without options. */
export function asEnv({ url, key }: { url: string; key: string }) {
  return { ENVKEEP_URL: url, ENVKEEP_KEY: key }
}

/** Without retries, and silent unless a test passes its own `warn`. */
export function failFast(options: Options): Options {
  return { timeout: 2_000, retries: 0, warn: () => undefined, ...options }
}

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "envkeep-client-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** The error of a promise that must fail. */
export async function failure(promise: Promise<unknown>): Promise<{ code: string; message: string }> {
  try {
    await promise
  } catch (error) {
    return error as { code: string; message: string }
  }
  throw new Error("it did not fail")
}
