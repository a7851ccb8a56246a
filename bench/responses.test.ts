import { expect, test } from "vitest"
import { responseReader } from "./responses.ts"

const found = "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nhello\r\n\r\nme"
const created = "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\nb\r\nhello\r\n\r\nme\r\n1\r\n!\r\n0\r\n\r\n"
const notModified = 'HTTP/1.1 304 Not Modified\r\netag: "1"\r\n\r\n'

function statusesOf(pieces: string[]): number[] {
  const statuses: number[] = []
  const read = responseReader((status) => statuses.push(status))
  for (const piece of pieces) read(Buffer.from(piece), piece.length)
  return statuses
}

test("answers are told apart however the network splits them", () => {
  const all = found + notModified + created + found
  for (let cut = 1; cut < all.length; cut++) {
    expect(statusesOf([all.slice(0, cut), all.slice(cut)])).toEqual([200, 304, 201, 200])
  }
  expect(statusesOf([...all])).toEqual([200, 304, 201, 200])
})

test("an incomplete answer does not count", () => {
  for (const answer of [found, created]) expect(statusesOf([answer.slice(0, -1)])).toEqual([])
})

test("an answer of unknown length is an error, not a guess", () => {
  expect(() => statusesOf(["HTTP/1.1 200 OK\r\nserver: x\r\n\r\n"])).toThrow(/without content-length/)
})
