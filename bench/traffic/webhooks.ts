import { createServer, type IncomingHttpHeaders } from "node:http"
import { text } from "node:stream/consumers"
import { setTimeout as wait } from "node:timers/promises"
import { isSignedWith } from "@envkeep/testing/machine/webhook-signature.ts"
import type { Cleanup } from "../bench.ts"
import { listen } from "../beside/servers.ts"
import type { Day } from "./shared.ts"

/** Nothing waits at the end of a run: the last events were long before. */
const deliveredWithinMs = 30_000

interface Message {
  path: string
  headers: IncomingHttpHeaders
  body: string
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>

/** The program that webhooks are sent to. Nothing is sent before it has an `onMessage`. */
export async function startReceiver(cleanup: Cleanup) {
  const receiver = { url: "", onMessage: (_: Message): void => undefined }
  const server = createServer(async (request, response) => {
    const { url: path = "", headers } = request
    receiver.onMessage({ path, headers, body: await text(request) })
    response.writeHead(204).end()
  })
  receiver.url = `http://127.0.0.1:${await listen(server)}`
  cleanup.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  return receiver
}

/** Checks every message from now on: which revisions of which environment have arrived, by webhook. */
export function followWebhooks({ stage, journal, counts }: Day, receiver: Receiver, from: number[]) {
  const ids = new Set<string>()
  const seen = new Map<string, Set<number>>()
  const newest = new Map<string, number>()
  const note = (what: string) => journal.note("dayWebhook", what)

  receiver.onMessage = (message) => {
    const { path, headers, body } = message
    const webhook = stage.webhooks.find((one) => one.path === path)
    if (webhook === undefined || !isSignedWith(webhook.secret, message)) note(`not signed: ${path} ${body}`)
    counts.webhookMessages++
    const id = `${path} ${headers["webhook-id"]}`
    if (ids.has(id)) {
      counts.repeatedMessages++
      return
    }
    ids.add(id)
    const { type, data } = JSON.parse(body)
    const place = `${path} ${data.environment?.id}`
    const revision: number = data.environment?.revision
    const last = newest.get(place) ?? 0
    if (!(revision > last)) note(`${path}: ${type} of revision ${revision} came after ${last}: ${body}`)
    newest.set(place, revision)
    seen.set(place, (seen.get(place) ?? new Set()).add(revision))
  }

  /** Only writers of the ledger change these environments, and each revision is one change. */
  const missing = (until: number[]) =>
    stage.webhooks.flatMap(({ path, environments }) =>
      environments.flatMap(({ id, at, name }) => {
        const [first = 0, last = 0] = [from[at], until[at]]
        const all = Array.from({ length: Math.max(0, last - first) }, (_, n) => first + 1 + n)
        const gone = all.filter((revision) => !seen.get(`${path} ${id}`)?.has(revision))
        return gone.length === 0 ? [] : [`${path} lacks ${gone.length} changes of ${name}: ${gone.slice(0, 10)}`]
      }),
    )
  return {
    /** Waits until every revision up to these has arrived. */
    async end(until: number[]): Promise<void> {
      const timeout = AbortSignal.timeout(deliveredWithinMs)
      while (missing(until).length > 0 && !timeout.aborted) await wait(100)
      for (const what of missing(until)) note(what)
    },
  }
}
