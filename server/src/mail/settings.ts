/** The mail server, as `SMTP_URL` names it. */
export interface MailServer {
  host: string
  port: number
  /**
   * `always`: from the first byte (smtps). `required`: by STARTTLS, and not without it. `if offered`: on this machine,
   * where no one is in between, so the certificate is not checked. `off`: the operator said so.
   */
  tls: "always" | "required" | "if offered" | "off"
  login: { user: string; password: string } | undefined
}

export interface MailAddress {
  name: string
  address: string
}

export interface MailSettings {
  server: MailServer
  from: MailAddress
  /** Of the links in mails. */
  publicUrl: URL
}

const thisMachine = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/i

/** Undefined if the text is not such a URL. */
export function readSmtpUrl(text: string): MailServer | undefined {
  if (!URL.canParse(text)) return undefined
  const { protocol, hostname, port, username, password, pathname, searchParams } = new URL(text)
  const isSecure = protocol === "smtps:"
  const tls = searchParams.get("tls")
  const isKnown = (isSecure || protocol === "smtp:") && hostname !== "" && (pathname === "" || pathname === "/")
  if (!isKnown || (tls !== null && (tls !== "off" || isSecure)) || searchParams.size > (tls === null ? 0 : 1)) {
    return undefined
  }
  const login = decodedLogin(username, password)
  if (login === undefined) return undefined
  return {
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: port === "" ? (isSecure ? 465 : 587) : Number(port),
    tls: isSecure ? "always" : tls === "off" ? "off" : thisMachine.test(hostname) ? "if offered" : "required",
    login: login.user === "" ? undefined : login,
  }
}

function decodedLogin(username: string, password: string): MailServer["login"] {
  try {
    return { user: decodeURIComponent(username), password: decodeURIComponent(password) }
  } catch {
    return undefined // a percent sign that does not begin an escape
  }
}

/** `env@example.com` or `Our variables <env@example.com>`. Undefined if the text is neither. */
export function readMailAddress(text: string): MailAddress | undefined {
  const [, name = "Envkeep", inBrackets, alone] =
    /^(?:([^<>"\p{C}]+?) <([^\s@<>\p{C}]+@[^\s@<>\p{C}]+)>|([^\s@<>\p{C}]+@[^\s@<>\p{C}]+))$/u.exec(text.trim()) ?? []
  const address = inBrackets ?? alone
  return address === undefined ? undefined : { name, address }
}
