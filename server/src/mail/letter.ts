import { escapeHtml } from "../escape-html.ts"

/** What a mail says, in plain words. */
export interface Letter {
  subject: string
  paragraphs: readonly string[]
  link?: { label: string; url: string }
  /** After the link, in small print. */
  footer: readonly string[]
}

export function toText({ paragraphs, link, footer }: Letter): string {
  const parts = [...paragraphs, ...(link === undefined ? [] : [`${link.label}:\n${link.url}`])]
  // Mail programs know this as the beginning of small print.
  return `${parts.join("\n\n")}\n\n-- \n${footer.join("\n")}\n`
}

/** Without images, scripts and styles from elsewhere. Readable where styles are dropped, and on a dark background. */
export function toHtml({ subject, paragraphs, link, footer }: Letter): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(subject)}</title>
</head>
<body style="margin:0;padding:24px 16px;font:16px/1.5 -apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif">
<div style="max-width:560px;margin:0 auto">
${paragraphs.map((text) => `<p style="margin:0 0 16px">${escapeHtml(text)}</p>`).join("\n")}
${link === undefined ? "" : linkHtml(link)}
<hr style="border:0;border-top:1px solid #8a94a3;margin:24px 0 16px">
${footer.map((text) => `<p style="margin:0 0 8px;font-size:13px">${escapeHtml(text)}</p>`).join("\n")}
</div>
</body>
</html>
`
}

/** A button, and the address itself for those who want to see where it leads. */
function linkHtml({ label, url }: NonNullable<Letter["link"]>): string {
  const href = escapeHtml(url)
  const button =
    "display:inline-block;padding:10px 18px;border-radius:8px;background:#0a6b52;color:#ffffff;font-weight:600;text-decoration:none"
  return `<p style="margin:24px 0 12px"><a href="${href}" style="${button}">${escapeHtml(label)}</a></p>
<p style="margin:0 0 16px;font-size:13px;overflow-wrap:anywhere;word-break:break-all">${href}</p>`
}

const maxNameLength = 60

/**
 * A name that a user chose, as a mail shows it: on one line, not too long, and without what mail programs turn into links.
 * Otherwise an invitation could say anything in our name.
 */
export function shownName(name: string): string {
  const line = name.replaceAll(/[\p{C}\p{Z}]+/gu, " ").trim()
  const shown = [...line]
  const cut = shown.length > maxNameLength ? `${shown.slice(0, maxNameLength).join("")}…` : line
  // The word joiner has no width.
  return cut.replaceAll(/(?<=\S)[.:/@](?=\S)/g, "$&\u2060")
}
