import { once } from "node:events"
import { createServer, type IncomingHttpHeaders } from "node:http"
import { text } from "node:stream/consumers"
import { setTimeout as wait } from "node:timers/promises"
import { isSignedWith } from "@envkeep/testing/machine/webhook-signature.ts"
import type { Cleanup } from "../cleanup.ts"
import type { Day } from "./day.ts"

/** Nothing waits at the end of a run: the last events were long before. */
const deliveredWithinMs = 30_000

interface Message {
  path: string
  headers: IncomingHttpHeaders
  body: string
}

export interface Receiver {
  url: string
  /** From now on, messages are checked. What came before waits. */
  begin(day: Day, revisions: number[]): void
  /** Waits until every revision up to these has arrived. */
  end(revisions: number[]): Promise<void>
}

/** The program that webhooks are sent to. */
export async function startReceiver(cleanup: Cleanup): Promise<Receiver> {
  const early: Message[] = []
  let take = (message: Message): void => void early.push(message)
  let missing: (revisions: number[]) => string[] = () => []
  let note = (_: string): void => undefined
  const server = createServer(async (request, response) => {
    const { url: path = "", headers } = request
    take({ path, headers, body: await text(request) })
    response.writeHead(204).end()
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  cleanup.later(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    begin(day, revisions) {
      const inbox = createInbox(day, revisions)
      take = inbox.take
      missing = inbox.missing
      note = (what) => day.findings.note("webhook", what)
      for (const message of early) take(message)
    },
    async end(revisions) {
      const timeout = AbortSignal.timeout(deliveredWithinMs)
      while (missing(revisions).length > 0 && !timeout.aborted) await wait(100)
      for (const what of missing(revisions)) note(what)
    },
  }
}

/** Which revisions of which environment have arrived, by webhook. */
function createInbox({ stage, findings, counts }: Day, from: number[]) {
  const ids = new Set<string>()
  const seen = new Map<string, Set<number>>()
  const newest = new Map<string, number>()
  const note = (what: string) => findings.note("webhook", what)
  return {
    take(message: Message): void {
      const { path, headers, body } = message
      const webhook = stage.webhooks.find((one) => one.path === path)
      const isSigned = webhook !== undefined && isSignedWith(webhook.secret, message)
      if (!isSigned) note(`not signed: ${path} ${body}`)
      const { type, data } = JSON.parse(body)
      const id = `${path} ${headers["webhook-id"]}`
      counts.webhookMessages++
      if (ids.has(id)) {
        counts.repeatedMessages++
        return
      }
      ids.add(id)
      const place = `${path} ${data.environment?.id}`
      const revision: number = data.environment?.revision
      const last = newest.get(place) ?? 0
      if (!(revision > last)) note(`${path}: ${type} of revision ${revision} came after ${last}: ${body}`)
      newest.set(place, revision)
      seen.set(place, (seen.get(place) ?? new Set()).add(revision))
    },
    /** Only writers of the ledger change these environments, and each revision is one change. */
    missing: (until: number[]) =>
      stage.webhooks.flatMap(({ path, environments }) =>
        environments.flatMap(({ id, at, name }) => {
          const [first = 0, last = 0] = [from[at], until[at]]
          const gone = range(first + 1, last).filter((revision) => !seen.get(`${path} ${id}`)?.has(revision))
          return gone.length === 0 ? [] : [`${path} lacks ${gone.length} changes of ${name}: ${gone.slice(0, 10)}`]
        }),
      ),
  }
}

function range(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, n) => first + n)
}
