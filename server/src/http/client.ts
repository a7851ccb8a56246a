const maxClientLength = 160
/** Longer ones say nothing about the program. */
const maxHeaderLength = 256

/** What a program calls itself in `User-Agent`, fit to be stored and shown: cut, and without a key sent by mistake. */
export function clientOf(userAgent: string | undefined): string {
  if (userAgent === undefined || userAgent.length > maxHeaderLength || /e(k|pt)_/.test(userAgent)) return ""
  const printable = userAgent
    .slice(0, maxClientLength)
    .replaceAll(/[^\x20-\x7e]+/g, " ")
    .trim()
  // A part of a header would keep all of its headers in memory. A copy does not.
  return Buffer.from(printable, "latin1").toString("latin1")
}
