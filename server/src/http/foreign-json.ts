import { limits, sentences } from "@envkeep/contract"
import { BoundError } from "../bounds/bound-error.ts"
import { eachWithPauses, runInPieces } from "../bounds/turns.ts"

/** A list longer than this is parsed in pieces of about this length. */
const pieceBytes = 64 * 1024

const quote = 0x22
const comma = 0x2c
const openingBracket = 0x5b
const backslash = 0x5c
const closingBracket = 0x5d
const openingBrace = 0x7b
const closingBrace = 0x7d

/**
 * `JSON.parse` for text that a stranger sent. What would be costly to parse is refused before it is parsed, and a long
 * list is parsed in pieces, so that other requests get their turns. Throws a SyntaxError exactly where `JSON.parse` does.
 */
export async function parseForeignJson(bytes: Buffer, maxParts: number): Promise<unknown> {
  const cuts = await scan(bytes, maxParts)
  return cuts.length === 0 ? JSON.parse(bytes.toString("utf8")) : parseInPieces(bytes, cuts)
}

/** Checks the bounds and returns the commas at which the outermost list can be cut. Does not notice text that is not JSON. */
async function scan(bytes: Buffer, maxParts: number): Promise<number[]> {
  const scanner = new Scanner(bytes, maxParts)
  await runInPieces(scanner.run())
  return scanner.cuts
}

/** Every element of a list and every member of an object is a part; an empty list or object counts as one too. */
class Scanner {
  readonly cuts: number[] = []
  readonly #bytes: Buffer
  readonly #maxParts: number
  #at = 0
  #pieceStart = 0
  #isInString = false
  #isList = false
  #depth = 0
  #parts = 0
  // Of the outermost list; of the whole text if that is not a list.
  #elementStart = 0
  #partsBeforeElement = 0

  constructor(bytes: Buffer, maxParts: number) {
    this.#bytes = bytes
    this.#maxParts = maxParts
  }

  /** Stops after each piece, so that others get their turns. */
  *run(): Generator<undefined, void> {
    while (this.#at < this.#bytes.length) {
      this.#scanPiece()
      yield
    }
  }

  #scanPiece(): void {
    const bytes = this.#bytes
    for (const end = Math.min(bytes.length, this.#at + pieceBytes); this.#at < end; this.#at++) {
      const byte = bytes[this.#at]
      if (this.#isInString) {
        if (byte === backslash) this.#at++
        else if (byte === quote) this.#isInString = false
      } else if (byte === quote) this.#isInString = true
      else if (byte === openingBracket || byte === openingBrace) this.#open(byte)
      else if (byte === closingBracket || byte === closingBrace) this.#depth--
      else if (byte === comma) this.#endElement()
    }
    this.#checkElementBytes()
  }

  #open(byte: number): void {
    this.#depth++
    if (this.#depth > limits.bodyDepth) throw new BoundError("body_depth", "invalid", sentences.bodyTooDeep)
    this.#addPart()
    if (this.#depth > 1) return
    this.#isList = byte === openingBracket
    this.#partsBeforeElement = this.#parts
  }

  #endElement(): void {
    if (this.#isList && this.#depth === 1) {
      this.#checkElementBytes()
      if (this.#at - this.#pieceStart >= pieceBytes) {
        this.cuts.push(this.#at)
        this.#pieceStart = this.#at + 1
      }
      this.#elementStart = this.#at + 1
      this.#partsBeforeElement = this.#parts
    }
    this.#addPart()
  }

  #addPart(): void {
    this.#parts++
    if (this.#parts > this.#maxParts || this.#parts - this.#partsBeforeElement > limits.bodyParts) {
      throw new BoundError("body_parts", "invalid", sentences.bodyTooManyParts)
    }
  }

  #checkElementBytes(): void {
    if (this.#at - this.#elementStart > limits.itemBodyBytes) {
      throw new BoundError("body_bytes", "too_large", sentences.bodyElementTooLarge)
    }
  }
}

/** Each piece is a list of its own. The list is valid if all of them are and none of them is empty. */
async function parseInPieces(bytes: Buffer, cuts: number[]): Promise<unknown[]> {
  const elements: unknown[] = []
  let start = 0
  await eachWithPauses([...cuts, bytes.length], (end) => {
    const text = bytes.toString("utf8", start, end)
    const piece = JSON.parse(`${start === 0 ? "" : "["}${text}${end === bytes.length ? "" : "]"}`) as unknown[]
    if (piece.length === 0) throw new SyntaxError("A list has a comma without an element")
    for (const element of piece) elements.push(element)
    start = end + 1
  })
  return elements
}
