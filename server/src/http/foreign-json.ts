import { limits, sentences } from "@envkeep/contract"
import { BoundError } from "../bounds/bound-error.ts"
import { eachWithPauses, startPace } from "../bounds/turns.ts"

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
  const pace = startPace()
  const scanner = startScan(bytes, maxParts)
  while (!scanner.isAtEnd()) {
    scanner.scanMore()
    if (pace.isDue()) await pace.turn()
  }
  return scanner.cuts
}

/** Every element of a list and every member of an object is a part; an empty list or object counts as one too. */
function startScan(bytes: Buffer, maxParts: number) {
  const cuts: number[] = []
  let at = 0
  let pieceStart = 0
  let isInString = false
  let isList = false
  let depth = 0
  let parts = 0
  // Of the outermost list; of the whole text if that is not a list.
  let elementStart = 0
  let partsBeforeElement = 0

  return { cuts, isAtEnd: () => at >= bytes.length, scanMore }

  function scanMore(): void {
    for (const end = Math.min(bytes.length, at + pieceBytes); at < end; at++) {
      const byte = bytes[at]
      if (isInString) {
        if (byte === backslash) at++
        else if (byte === quote) isInString = false
      } else if (byte === quote) isInString = true
      else if (byte === openingBracket || byte === openingBrace) open(byte)
      else if (byte === closingBracket || byte === closingBrace) depth--
      else if (byte === comma) endElement()
    }
    checkElementBytes()
  }

  function open(byte: number): void {
    depth++
    if (depth > limits.bodyDepth) throw new BoundError("body_depth", "invalid", sentences.bodyTooDeep)
    addPart()
    if (depth > 1) return
    isList = byte === openingBracket
    partsBeforeElement = parts
  }

  function endElement(): void {
    if (isList && depth === 1) {
      checkElementBytes()
      if (at - pieceStart >= pieceBytes) {
        cuts.push(at)
        pieceStart = at + 1
      }
      elementStart = at + 1
      partsBeforeElement = parts
    }
    addPart()
  }

  function addPart(): void {
    parts++
    if (parts > maxParts || parts - partsBeforeElement > limits.bodyParts) {
      throw new BoundError("body_parts", "invalid", sentences.bodyTooManyParts)
    }
  }

  function checkElementBytes(): void {
    if (at - elementStart > limits.itemBodyBytes) {
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
