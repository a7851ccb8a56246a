export interface Settings {
  url: string
  token: string
}

/** What is wrong with the environment variables of this program, in one sentence. */
export class SettingsError extends Error {
  override name = "SettingsError"
}

export function readSettings(env: Record<string, string | undefined>): Settings {
  return { url: readUrl(env["ENVKEEP_URL"]?.trim()), token: readToken(env["ENVKEEP_TOKEN"]?.trim()) }
}

function readUrl(text: string | undefined): string {
  if (!text) throw new SettingsError("no server given: set ENVKEEP_URL")
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new SettingsError("ENVKEEP_URL must start with http:// or https://")
  }
  return url.origin + url.pathname.replace(/\/+$/, "")
}

function readToken(token: string | undefined): string {
  if (!token) throw new SettingsError("no token given: make a personal token of the scope names, and set ENVKEEP_TOKEN")
  if (token.startsWith("ek_")) {
    throw new SettingsError("ENVKEEP_TOKEN is an API key, which reads values: make a personal token of the scope names")
  }
  if (!/^ept_[0-9A-Za-z]+$/.test(token))
    throw new SettingsError("ENVKEEP_TOKEN is not a personal token: it starts with ept_")
  return token
}
