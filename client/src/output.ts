import { fstatSync, writeFileSync } from "node:fs"
import { CommandError, describeCode } from "./messages.ts"

/** All output of the command goes through this and `say`. A pipe or a file gets every byte; a terminal gets no commands. */
export function writeOut(text: string): Promise<number> {
  return writeExactly(process.stdout.isTTY ? forTerminal(text) : text)
}

/** What is not data. */
export function say(text: string): void {
  process.stderr.write(forTerminal(text))
}

/**
 * A terminal obeys control characters, and characters for the direction of text let it show something else than there is. Of
 * both, only line breaks, tabs and our own colours are left.
 */
export function forTerminal(text: string): string {
  return text.replace(/\r\n|[\p{Cc}\p{Bidi_Control}](\[(?:0|1|31|32|33)m)?/gu, (found, colour = "") => {
    const character = found.slice(0, found.length - colour.length)
    const isKept = /^\r?\n$|^\t$/.test(character) || (character === "\u001b" && colour !== "")
    return isKept ? found : `?${colour}`
  })
}

/** Resolves when everything is written, so that a pipe gets all of it. A reader that closes the pipe early is not a failure. */
function writeExactly(text: string): Promise<number> {
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

/** JSON leaves some control characters as they are. */
export function writeJson(value: unknown): Promise<number> {
  return writeOut(`${escaped(JSON.stringify(value, null, 2))}\n`)
}

/** JSON or the text of a program with no character as it is that a terminal would obey. */
export function escaped(literal: string): string {
  const code = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  return literal.replace(/[\u007f-\u009f\u2028\u2029\p{Bidi_Control}]/gu, code)
}

/** A name on one line. */
export function printable(name: string): string {
  return name.replace(/[\p{Cc}\p{Bidi_Control}]/gu, "?")
}

/** The same for a value, which may have lines. */
export function quoted(value: string): string {
  return printable(value) === value ? value : printable(JSON.stringify(value))
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
