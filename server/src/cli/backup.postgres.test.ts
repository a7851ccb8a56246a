import { once } from "node:events"
import { readdir } from "node:fs/promises"
import { connect, createServer } from "node:net"
import { dirname } from "node:path"
import { testApp } from "@envkeep/testing/app.ts"
import { backUp, backupFile } from "@envkeep/testing/commands.ts"
import { expect, onTestFinished, test } from "vitest"

/** The same database, over a connection that is reset when a statement with this text is sent. */
async function resetAt(databaseUrl: string, text: string): Promise<string> {
  const target = new URL(databaseUrl)
  const server = createServer((socket) => {
    const upstream = connect(Number(target.port), target.hostname)
    for (const one of [socket, upstream]) one.on("error", () => undefined)
    socket.on("data", (bytes) => {
      if (!bytes.includes(text)) upstream.write(bytes)
      else {
        upstream.destroy()
        socket.resetAndDestroy()
      }
    })
    upstream.on("data", (bytes) => socket.write(bytes))
    socket.on("close", () => upstream.destroy())
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => void server.close())
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("the proxy does not listen")
  const url = new URL(databaseUrl)
  url.port = String(address.port)
  return url.href
}

test("a backup whose connection to the database breaks says so, and does not blame its file", async () => {
  const { location } = await testApp()
  const file = await backupFile()
  const databaseUrl = await resetAt(location.databaseUrl ?? "", 'select * from "item"')
  await expect(backUp({ ...location, databaseUrl }, file)).rejects.toMatchObject({
    exitCode: 69,
    message: expect.stringMatching(/^The database at .* cannot be used: read ECONNRESET$/),
  })
  expect(await readdir(dirname(file))).toEqual([])
})
