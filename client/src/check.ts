import { EnvkeepError } from "./error.ts"
import { ask } from "./request.ts"
import { type Options, readSettings } from "./settings.ts"

/** Where an API key leads. */
export interface KeyInfo {
  name: string
  environment: string
  collection: string
  revision: number
}

/** Asks the server about the key, without reading a value. */
export async function check(options: Options = {}): Promise<KeyInfo> {
  const settings = readSettings(options)
  const answer = await ask(settings, "/api/v1/key")
  if ("error" in answer) throw answer.error
  try {
    const { name, environment, collection, revision } = JSON.parse(answer.text).data
    return { name, environment, collection, revision }
  } catch {
    throw new EnvkeepError("server", `What answers at ${settings.url} is no Envkeep server`)
  }
}
