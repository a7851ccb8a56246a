import { serveStdio } from "@modelcontextprotocol/server/stdio"
import { createAsk } from "./api.ts"
import { readSettings, type Settings, SettingsError } from "./settings.ts"
import { createServer } from "./tools.ts"

const settings = settingsOrExit()
const ask = createAsk(settings)
serveStdio(() => createServer(ask))

/** Standard output belongs to the protocol, so this goes to standard error. */
function settingsOrExit(): Settings {
  try {
    return readSettings(process.env)
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    process.stderr.write(`envkeep-mcp: ${error.message}\n`)
    return process.exit(2)
  }
}
