/** A mail as a mail program shows it. */
export interface ReadMail {
  raw: string
  headers: ReadonlyMap<string, string>
  subject: string
  text: string
  html: string
}

/** Reads a mail with a part in plain text and one in HTML. */
export function readMail(raw: string): ReadMail {
  const { headers, body } = partOf(raw)
  const [, boundary = ""] = /boundary="?([^";]+)/.exec(headers.get("content-type") ?? "") ?? []
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => partOf(part.replace(/^\r\n/, "")))
  const textOf = (type: string) => {
    const part = parts.find((one) => one.headers.get("content-type")?.startsWith(type))
    return part === undefined ? "" : decoded(part).replaceAll("\r\n", "\n")
  }
  const subject = decodedWords(headers.get("subject") ?? "")
  return { raw, headers, subject, text: textOf("text/plain"), html: textOf("text/html") }
}

interface Part {
  headers: ReadonlyMap<string, string>
  body: string
}

function partOf(text: string): Part {
  const end = text.indexOf("\r\n\r\n")
  const lines = text
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, " ")
    .split("\r\n")
  const headers = lines.map((line) => {
    const at = line.indexOf(":")
    return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()] as const
  })
  return { headers: new Map(headers), body: text.slice(end + 4) }
}

function decoded({ headers, body }: Part): string {
  const encoding = headers.get("content-transfer-encoding")
  if (encoding === "base64") return Buffer.from(body, "base64").toString("utf8")
  const bytes = encoding === "quoted-printable" ? fromQuotedPrintable(body.replaceAll("=\r\n", "")) : body
  return Buffer.from(bytes, "latin1").toString("utf8")
}

/** `=?UTF-8?Q?...?=` in a header. */
function decodedWords(text: string): string {
  return text
    .replaceAll(/(\?=)\s+(=\?)/g, "$1$2")
    .replaceAll(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, kind: string, word: string) =>
      kind.toLowerCase() === "b"
        ? Buffer.from(word, "base64").toString("utf8")
        : Buffer.from(fromQuotedPrintable(word.replaceAll("_", " ")), "latin1").toString("utf8"),
    )
}

function fromQuotedPrintable(text: string): string {
  return text.replaceAll(/=([0-9A-F]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
}
