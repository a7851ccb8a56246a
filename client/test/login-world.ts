import type { CreatedToken } from "@envkeep/contract"
import type { Run } from "./command.ts"
import { envkeep } from "./command.ts"
import { temporaryFolder, world } from "./world.ts"

/** A server with an environment, and the settings of a machine that is logged in there by a token. */
export async function loginWorld(variables?: Parameters<typeof world>[0], scope = "write") {
  const made = await world(variables)
  const { body } = await made.ann.post<CreatedToken>("/users/me/tokens", { name: "machine", scope })
  const cwd = await temporaryFolder()
  const env = {
    ENVKEEP_URL: made.url,
    ENVKEEP_TOKEN: body.data.token,
    ENVKEEP_COLLECTION: "app",
    ENVKEEP_ENVIRONMENT: "production",
  }
  const run = (args: string[], more: Run = {}) => envkeep(args, { cwd, ...more, env: { ...env, ...more.env } }).ended
  return { ...made, env, cwd, run, token: body.data.token }
}
