import type { CDPSession, Page } from "@playwright/test"
import { expect } from "./test.ts"

/** What went over the wire, in both directions and with headers. */
export interface Moved {
  requests: number
  bytes: number
}

export interface MovedParts {
  /** The page, its scripts, styles, fonts and pictures. */
  files: Moved
  /** Calls and live streams. */
  api: Moved
  /** The method and path of each call. */
  calls: string[]
}

interface Exchange {
  /** Undefined until the browser has said what it is: the headers may be told of first. */
  call?: { method: string; path: string; isStream: boolean }
  isCached: boolean
  askedBytes: number
  answeredBytes: number
}

/** A page that waits for an answer before it asks for more does so at once. */
const quietMs = 400

/** Counts what a page moves, as the browser's network stack reports it. What comes from the browser's cache does not count. */
export class Wire {
  readonly #client: CDPSession
  readonly #exchanges = new Map<string, Exchange>()
  readonly #waiting = new Set<string>()
  #busyAt = performance.now()

  private constructor(client: CDPSession) {
    this.#client = client
  }

  static async of(page: Page): Promise<Wire> {
    const client = await page.context().newCDPSession(page)
    const wire = new Wire(client)
    wire.#listen()
    await client.send("Network.enable")
    return wire
  }

  async emptyCache(): Promise<void> {
    await this.#client.send("Network.clearBrowserCache")
  }

  /** What moves from now on, until the page is quiet. A live stream may stay open. */
  async during(act: () => Promise<unknown>): Promise<MovedParts> {
    await this.#untilQuiet()
    const before = this.#total()
    await act()
    await this.#untilQuiet()
    const after = this.#total()
    return {
      files: difference(after.files, before.files),
      api: difference(after.api, before.api),
      calls: after.calls.slice(before.calls.length),
    }
  }

  async #untilQuiet(): Promise<void> {
    this.#busyAt = performance.now()
    const isQuiet = () => this.#waiting.size === 0 && performance.now() - this.#busyAt > quietMs
    await expect.poll(isQuiet, { intervals: [quietMs / 4] }).toBe(true)
  }

  #total(): MovedParts {
    const total: MovedParts = { files: { requests: 0, bytes: 0 }, api: { requests: 0, bytes: 0 }, calls: [] }
    for (const { call, isCached, askedBytes, answeredBytes } of this.#exchanges.values()) {
      if (call === undefined || isCached) continue
      const isApi = call.path.startsWith("/api/")
      const part = isApi ? total.api : total.files
      part.requests++
      part.bytes += askedBytes + answeredBytes
      if (isApi) total.calls.push(`${call.method} ${call.path}`)
    }
    return total
  }

  #exchange(id: string): Exchange {
    const exchange = this.#exchanges.get(id) ?? { isCached: false, askedBytes: 0, answeredBytes: 0 }
    this.#exchanges.set(id, exchange)
    this.#busyAt = performance.now()
    return exchange
  }

  #listen(): void {
    const client = this.#client
    client.on("Network.requestWillBeSent", ({ requestId, request, type }) => {
      const { protocol, pathname: path } = new URL(request.url)
      if (!protocol.startsWith("http")) return
      const exchange = this.#exchange(requestId)
      const isStream = type === "EventSource"
      exchange.call = { method: request.method, path, isStream }
      exchange.askedBytes += Buffer.byteLength(request.postData ?? "")
      if (!isStream) this.#waiting.add(requestId)
    })
    client.on("Network.requestWillBeSentExtraInfo", ({ requestId, headers }) => {
      this.#exchange(requestId).askedBytes += bytesOf(headers)
    })
    client.on("Network.requestServedFromCache", ({ requestId }) => {
      this.#exchange(requestId).isCached = true
    })
    client.on("Network.responseReceived", ({ requestId, response }) => {
      const exchange = this.#exchange(requestId)
      if (response.fromDiskCache === true) exchange.isCached = true
      // Of a stream, which does not finish, this is all that is told of its headers.
      exchange.answeredBytes += response.encodedDataLength
    })
    client.on("Network.dataReceived", ({ requestId, dataLength, encodedDataLength }) => {
      const exchange = this.#exchange(requestId)
      exchange.answeredBytes += exchange.call?.isStream === true ? dataLength : encodedDataLength
    })
    client.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
      this.#exchange(requestId).answeredBytes = encodedDataLength
      this.#waiting.delete(requestId)
    })
    client.on("Network.loadingFailed", ({ requestId }) => {
      this.#exchange(requestId)
      this.#waiting.delete(requestId)
    })
  }
}

function bytesOf(headers: Record<string, string>): number {
  // With the colon, the space and the end of the line.
  return Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0)
}

function difference(after: Moved, before: Moved): Moved {
  return { requests: after.requests - before.requests, bytes: after.bytes - before.bytes }
}
