import { notEnvkeep } from "./error.ts"
import { request } from "./request.ts"
import { type Options, readSettings } from "./settings.ts"

/** What an API key gives access to. */
export interface KeyInfo {
  name: string
  environment: string
  collection: string
  revision: number
}

/** Asks the server about the key, without reading a value. */
export async function check(options: Options = {}): Promise<KeyInfo> {
  const settings = readSettings(options)
  const answer = await request(settings, "/api/v1/key")
  if ("error" in answer) throw answer.error
  try {
    const { name, environment, collection, revision } = JSON.parse(answer.text).data
    const hasNames = [name, environment, collection].every((text) => typeof text === "string")
    if (hasNames && Number.isSafeInteger(revision)) return { name, environment, collection, revision }
  } catch {
    // It is not JSON.
  }
  throw notEnvkeep(settings.url)
}
