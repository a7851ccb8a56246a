import { expect, test } from "vitest"
import { responseReader } from "./responses.ts"

const found = "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nhello\r\n\r\nme"
const notModified = 'HTTP/1.1 304 Not Modified\r\netag: "1"\r\n\r\n'

function statusesOf(pieces: string[]): number[] {
  const statuses: number[] = []
  const read = responseReader((status) => statuses.push(status))
  for (const piece of pieces) read(Buffer.from(piece), piece.length)
  return statuses
}

test("answers are told apart however the network splits them", () => {
  const all = found + notModified + found
  for (let cut = 1; cut < all.length; cut++) {
    expect(statusesOf([all.slice(0, cut), all.slice(cut)])).toEqual([200, 304, 200])
  }
  expect(statusesOf([...all])).toEqual([200, 304, 200])
})

test("an incomplete answer does not count", () => {
  expect(statusesOf([found.slice(0, -1)])).toEqual([])
})

test("an answer of unknown length is an error, not a guess", () => {
  expect(() => statusesOf(["HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"])).toThrow(/without content-length/)
})
