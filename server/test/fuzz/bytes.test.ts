import { connect } from "node:net"
import { campaign, campaignTimeoutMs } from "@envkeep/testing/fuzz/campaign.ts"
import { startFuzzApp } from "@envkeep/testing/fuzz/fuzz-app.ts"
import { testOnce as test } from "@envkeep/testing/once.ts"
import fc from "fast-check"
import { expect } from "vitest"

const seconds = 1

test("bytes that are not HTTP are refused or ignored, and the server keeps running", {
  timeout: campaignTimeoutMs(seconds),
}, async () => {
  const app = await startFuzzApp()
  const { port } = app.http
  const tried = await campaign({
    kind: "bytes",
    seconds,
    cases: fc.array(mangled, { minLength: 1, maxLength: 5 }),
    async check(list) {
      for (const bytes of list) {
        const answer = await exchange(port, bytes)
        expect(answer).not.toMatch(/^HTTP\/1\.[01] 5/m)
        if (/^HTTP\/1\.1 400 /.test(answer)) expect(answer).toContain('{"error":true,"msg":"')
      }
      expect((await app.http.send({ method: "GET", path: "/api/users/me" })).status).toBe(200)
    },
  })
  expect(tried).toBeGreaterThan(0)
})

const wellFormed = [
  "GET /api/users/me HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n",
  "GET /api/v1/variables HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ek_x\r\nconnection: close\r\n\r\n",
  'POST /api/users/login HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: 27\r\n\r\n{"email":"a","password":"b"}',
  "POST /api/users/login HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
]

/** A valid request in which some bytes were replaced, removed or inserted. */
const mangled = fc
  .record({
    text: fc.constantFrom(...wellFormed),
    edits: fc.array(fc.record({ at: fc.nat(200), removed: fc.nat(6), inserted: fc.uint8Array({ maxLength: 4 }) }), {
      maxLength: 4,
    }),
  })
  .map(({ text, edits }) => {
    const bytes = [...Buffer.from(text, "latin1")]
    for (const { at, removed, inserted } of edits) bytes.splice(at % bytes.length, removed, ...inserted)
    return Buffer.from(bytes)
  })

function exchange(port: number, bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    let answer = ""
    const socket = connect(port, "127.0.0.1", () => socket.end(bytes))
    socket.on("data", (chunk) => {
      answer += chunk.toString("latin1")
    })
    socket.on("error", () => undefined)
    socket.on("close", () => resolve(answer))
  })
}
