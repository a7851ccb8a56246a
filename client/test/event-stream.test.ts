import { once } from "node:events"
import { get, type IncomingMessage } from "node:http"
import { expect, test } from "vitest"
import { fieldOf, readEvents } from "../src/event-stream.ts"
import { strangeServer } from "./strange-server.ts"

/** The name and the data of each event of a connection on which these pieces arrive one after the other. */
async function eventsOf(pieces: Buffer[], ends = true): Promise<(string | undefined)[][]> {
  const url = await strangeServer(async (_, response) => {
    response.flushHeaders()
    for (const piece of pieces) {
      response.write(piece)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    if (ends) response.end()
  })
  const open = async (signal: AbortSignal): Promise<IncomingMessage> => {
    const [response] = await once(get(url, { signal }), "response")
    return response
  }
  const found: (string | undefined)[][] = []
  const signal = new AbortController().signal
  for await (const event of readEvents({ signal, timeoutMs: 60_000, silenceTimeoutMs: 300, open })) {
    found.push([fieldOf(event, "event"), fieldOf(event, "data")])
  }
  return found
}

test("events are read however the bytes of a stream are cut, with heartbeats as events without a name", async () => {
  const stream = Buffer.from(
    ':\n\nevent: revision\ndata: {"name":"žluťoučký 🐢"}\n\nevent:gone\ndata:\n\nevent: unfinished',
  )
  const expected = [
    [undefined, undefined],
    ["revision", '{"name":"žluťoučký 🐢"}'],
    ["gone", ""],
  ]
  expect(await eventsOf([stream])).toEqual(expected)
  expect(await eventsOf(Array.from(stream, (byte) => Buffer.from([byte])))).toEqual(expected)
})

test("a stream that is silent, or never ends an event, is given up", async () => {
  await expect(eventsOf([Buffer.from("event: revision\n\n")], false)).rejects.toThrow()
  await expect(eventsOf(Array.from({ length: 5 }, () => Buffer.alloc(16_384, "x")))).rejects.toThrow("")
})
