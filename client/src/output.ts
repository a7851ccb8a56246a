import { fstatSync, writeFileSync } from "node:fs"
import { CommandError, describeCode } from "./messages.ts"

/** Resolves when everything is written, so that a pipe gets all of it. A reader that closes the pipe early is not a failure. */
export function writeOut(text: string): Promise<number> {
  const { stdout } = process
  return new Promise((resolve, reject) => {
    stdout.on("error", done)
    // On a disk that becomes full in the middle, the stream takes the part that was written for all of it.
    if (isFile(stdout.fd)) writeAll(stdout.fd)
    else stdout.write(text, done)

    function writeAll(fd: number): void {
      try {
        writeFileSync(fd, Buffer.from(text))
        done()
      } catch (error) {
        done(error as NodeJS.ErrnoException)
      }
    }

    function done(error?: NodeJS.ErrnoException | null): void {
      if (!error || error.code === "EPIPE") resolve(0)
      else reject(new CommandError(`cannot write to standard output: ${describeCode(error.code ?? error.message)}`))
    }
  })
}

/** Some systems have no such information about a terminal. */
function isFile(fd: number): boolean {
  try {
    return fstatSync(fd).isFile()
  } catch {
    return false
  }
}

/** JSON leaves some control characters as they are, and a terminal obeys them. */
export function writeJson(value: unknown): Promise<number> {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  return writeOut(`${JSON.stringify(value, null, 2).replace(/[\u007f-\u009f]/g, escaped)}\n`)
}

/** Names are untrusted text: control characters could take over the terminal. */
export function printable(name: string): string {
  return name.replace(/\p{Cc}/gu, "?")
}

/** The same for a value, which may have lines. */
export function quoted(value: string): string {
  return /[\p{Cc}]/u.test(value) ? JSON.stringify(value).replace(/\p{Cc}/gu, "?") : value
}

export const mask = "********"

/** Columns that line up. The last one is not padded. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows].map((row) => row.map(printable))
  const widths = head.map((_, at) => Math.max(...lines.map((row) => (row[at] ?? "").length)))
  return lines
    .map((row, line) => {
      const cells = row.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0)))
      return `${paint(cells.join("  ").trimEnd(), line === 0 ? "bold" : undefined, process.stdout)}\n`
    })
    .join("")
}

const codes = { bold: 1, red: 31, green: 32, yellow: 33 }
export type Colour = keyof typeof codes

/** Only on a terminal whose user wants colours. */
export function paint(text: string, colour: Colour | undefined, stream: NodeJS.WriteStream): string {
  const isWanted = stream.isTTY && !process.env["NO_COLOR"] && process.env["TERM"] !== "dumb"
  return colour === undefined || !isWanted ? text : `\u001b[${codes[colour]}m${text}\u001b[0m`
}
