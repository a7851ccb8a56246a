const whole = /^\s*-----BEGIN ([A-Z0-9 ]+)-----(.*?)-----END \1-----\s*$/s
const lineLength = 64

/** Whether it is a PEM on one line: its line breaks are spaces, the two characters `\n`, or gone. */
export function brokenPem(value: string): boolean {
  return bodyOf(value) !== undefined
}

/** The PEM with lines of the usual length. */
export function mendPem(value: string): string {
  const pem = bodyOf(value)
  if (pem === undefined) return value
  const lines = pem.body.match(new RegExp(`.{1,${lineLength}}`, "g")) ?? []
  return `-----BEGIN ${pem.title}-----\n${lines.join("\n")}\n-----END ${pem.title}-----\n`
}

function bodyOf(value: string): { title: string; body: string } | undefined {
  if (value.length > 100_000) return undefined
  const [, title, inside] = whole.exec(value) ?? []
  if (title === undefined || inside === undefined || inside.includes("\n")) return undefined
  const body = inside.replace(/\\r|\\n|\s/g, "")
  // Headers of an encrypted key, or several certificates, cannot be put back by counting characters.
  return /^[A-Za-z0-9+/]+={0,2}$/.test(body) ? { title, body } : undefined
}
