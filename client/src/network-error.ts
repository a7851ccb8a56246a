const causes: Record<string, string> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "the connection was closed",
  EPIPE: "the connection was closed",
  ENOTFOUND: "host not found",
  EAI_AGAIN: "DNS lookup failed",
  HPE_INVALID_CONSTANT: "it does not speak http",
}

/** Why a request failed, in a few words. */
export function causeOf(error: unknown): string {
  const { code = "", message = "" } = error as { code?: string; message?: string }
  return tlsCause(message) ?? causes[code] ?? (message || code)
}

/** OpenSSL puts its reason among numbers and names of source files. */
function tlsCause(message: string): string | undefined {
  const reason = /SSL routines:[^:]*:([^:]+)/.exec(message)?.[1]
  if (reason === "wrong version number") return "it does not speak https: is it http:// in ENVKEEP_URL?"
  return reason && `TLS failed: ${reason}`
}

/** The server's own message in one line, without control characters that could take over the terminal. */
export function messageIn(text: string): string | undefined {
  try {
    const { msg } = JSON.parse(text)
    return typeof msg === "string" ? msg.replace(/\p{Cc}+/gu, " ").slice(0, 500) : undefined
  } catch {
    return undefined
  }
}
