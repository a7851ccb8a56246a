// The inside of $'…', in which bash, zsh and ksh write what is not printable. In the locale C these are all characters
// beyond ASCII, byte by byte. Nothing is kept as the text of an escape: what is not known is reported.

type AnsiText = ({ value: string } | { reason: string }) & { end: number }

const notUtf8 = "its bytes are not text in UTF-8"
const unknownEscape = "it has an escape in $'…' that is not known"
const nul = "it has a NUL character, which no environment can hold"

const plain = /[^'\\]+/y
const character = /\\(?:u(?:([\dA-Fa-f]{1,4})|\[([\dA-Fa-f]+)\])|U([\dA-Fa-f]{1,8}))/y

/** Escapes of one byte, with what it is made of. */
const bytes: [RegExp, (found: string) => number | undefined][] = [
  [/\\([0-7]{1,3})/y, (digits) => Number.parseInt(digits, 8) & 0xff],
  [/\\x([\dA-Fa-f]{1,2})/y, hexByte],
  [/\\x\{([\dA-Fa-f]+)\}/y, hexByte],
  [/\\x\[([\dA-Fa-f]+)\]/y, hexByte],
  [/\\c(\\\\|[ -&(-[\]-~])/y, controlByte],
  // As zsh writes them. It does not escape a quote or a backslash after the dash, and cannot read such a text itself.
  [/\\M-\\C-([?-_])/y, (found) => controlByte(found) | 0x80],
  [/\\M-\\([nt])/y, (found) => (shortEscapes[found] ?? 0) | 0x80],
  [/\\M-([ -~])/y, (found) => found.charCodeAt(0) | 0x80],
  [/\\C-([?-_])/y, controlByte],
  [/\\([abeEfnrtv\\'"?])/y, (found) => shortEscapes[found] ?? found.charCodeAt(0)],
]

const shortEscapes: Record<string, number> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, e: 27, E: 27 }

/** Reads on from after the opening quote. Undefined if there is no closing one. */
export function readAnsiQuotes(source: string, start: number): AnsiText | undefined {
  let value = ""
  let run: number[] = []
  let reason: string | undefined
  for (let at = start; at < source.length; ) {
    if (source[at] === "'") {
      endRun()
      return reason === undefined ? { value, end: at + 1 } : { reason, end: at + 1 }
    }
    const byte = byteAt(source, at)
    if (byte !== undefined) {
      run.push(byte.value)
      at = byte.end
      continue
    }
    endRun()
    const [text] = matchAt(plain, source, at) ?? []
    const [escaped, ...digits] = matchAt(character, source, at) ?? []
    if (text !== undefined) value += text
    else if (escaped !== undefined) addCharacter(Number.parseInt(digits.find(Boolean) ?? "", 16))
    else reason ??= unknownEscape
    // What follows an unknown backslash belongs to it: it may be a quote.
    at += (text ?? escaped)?.length ?? 2
  }
  return undefined

  function endRun(): void {
    const text = decoded(run)
    if (text === undefined) reason ??= notUtf8
    else if (text.includes("\0")) reason ??= nul
    else value += text
    run = []
  }

  function addCharacter(code: number): void {
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) reason ??= notUtf8
    else if (code === 0) reason ??= nul
    else value += String.fromCodePoint(code)
  }
}

function byteAt(source: string, at: number): { value: number; end: number } | undefined {
  if (source[at] !== "\\") return undefined
  for (const [pattern, read] of bytes) {
    const [whole = "", found = ""] = matchAt(pattern, source, at) ?? []
    const value = whole === "" ? undefined : read(found)
    if (value !== undefined) return { value, end: at + whole.length }
  }
  return undefined
}

/** Of more than eight bits the lowest count. */
function hexByte(digits: string): number {
  return Number.parseInt(digits.slice(-2), 16)
}

function controlByte(found: string): number {
  return found === "?" ? 0x7f : found.toUpperCase().charCodeAt(0) & 0x1f
}

function decoded(run: number[]): string | undefined {
  if (run.length === 0) return ""
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(run))
  } catch {
    return undefined
  }
}

function matchAt(pattern: RegExp, source: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(source)
}
