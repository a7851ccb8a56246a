import { collections, LiveEnvironment, LiveState } from "@envkeep/contract"

export interface LiveListener {
  /** Which revisions there are: what was read before may be older. With another `position`, so may all that has no revision. */
  onState: (state: LiveState, position: string) => void
  /** Environments were added or deleted, or API keys or the collection itself have changed. */
  onList: (state: LiveState, position: string) => void
  onEnvironment: (change: LiveEnvironment) => void
  /** With another tag, others run than before. With the same, they may have been seen again. */
  onInstances: (tag: string) => void
  /** Changes may have been missed: read everything again. */
  onUnsure: () => void
  /** The stream was ended or refused. The collection may be deleted, or the session or the access has ended: ask. */
  onEnded: () => void
}

interface LiveMessage {
  event: "state" | "list" | "environment" | "instances" | "ended" | "unsure" | "joined"
  data?: unknown
  /** Of `state` and `list`: stands for all that has no revision. Of `instances`: for what runs. */
  position?: string
}

const firstPauseMs = 1_000
const longestPauseMs = 60_000

/**
 * Follows the changes of a collection for as long as the tab is visible. A hidden tab holds no connection; it reads
 * everything again when it comes back, as all queries do.
 *
 * Over HTTP/1.1 a browser opens six connections to a server, which all its tabs share. So the tabs of a collection share
 * one stream: the tab that holds the lock reads it and passes it on. Other collections have streams of their own, up to a
 * number that leaves enough connections for everything else.
 */
export function followCollection(id: number, listener: LiveListener): () => void {
  let following: AbortController | undefined
  const followIfVisible = () => {
    following?.abort()
    following = undefined
    if (document.visibilityState === "hidden") return
    following = new AbortController()
    void follow(id, listener, following.signal)
  }
  followIfVisible()
  document.addEventListener("visibilitychange", followIfVisible)
  return () => {
    document.removeEventListener("visibilitychange", followIfVisible)
    following?.abort()
  }
}

async function follow(id: number, listener: LiveListener, signal: AbortSignal): Promise<void> {
  const channel = new BroadcastChannel(`envkeep-live-${id}`)
  signal.addEventListener("abort", () => channel.close())
  let known: LiveMessage | undefined
  let knownInstances: LiveMessage | undefined
  const isLeading = { now: false }
  channel.addEventListener("message", ({ data: message }: MessageEvent<LiveMessage>) => {
    if (message.event !== "joined") tell(listener, message)
    // A tab that has just joined has not heard the state yet.
    else if (isLeading.now) for (const one of [known, knownInstances]) if (one !== undefined) channel.postMessage(one)
  })
  channel.postMessage({ event: "joined" } satisfies LiveMessage)
  const pass = (message: LiveMessage) => {
    known = latest(known, message)
    if (message.event === "instances") knownInstances = message
    channel.postMessage(message)
    tell(listener, message)
  }
  await whenLeading(id, signal, async () => {
    isLeading.now = true
    await readStream(id, pass, signal)
  })
}

function tell(listener: LiveListener, { event, data, position = "" }: LiveMessage): void {
  if (event === "state") listener.onState(LiveState.parse(data), position)
  else if (event === "list") listener.onList(LiveState.parse(data), position)
  else if (event === "instances") listener.onInstances(position)
  else if (event === "environment") listener.onEnvironment(LiveEnvironment.parse(data))
  else if (event === "ended") listener.onEnded()
  else listener.onUnsure()
}

/** The state after a message, as a message. */
function latest(known: LiveMessage | undefined, { event, data, position }: LiveMessage): LiveMessage | undefined {
  if (event === "state" || event === "list")
    return { event: "state", data, ...(position !== undefined && { position }) }
  if (event !== "environment" || known === undefined) return known
  const { id, revision } = LiveEnvironment.parse(data)
  const state = LiveState.parse(known.data)
  const environments = state.environments.map((one) => (one.id === id ? { ...one, revision } : one))
  return { ...known, data: { ...state, environments } }
}

/** The others of the six connections are for the calls. */
const maxStreams = 3
const slots = Array.from({ length: maxStreams }, (_, slot) => `envkeep-live-slot-${slot}`)

/** Runs `lead` once this tab leads those of the collection, and one of the streams is free. */
async function whenLeading(id: number, signal: AbortSignal, lead: () => Promise<void>): Promise<void> {
  // Browsers have locks only under https and on localhost. Elsewhere each visible tab leads itself.
  const locks = navigator.locks as LockManager | undefined
  if (!locks) return lead()
  const taken = new AbortController()
  const untilTaken = AbortSignal.any([signal, taken.signal])
  const takeAnySlot = () =>
    Promise.allSettled(
      slots.map((slot) =>
        locks.request(slot, { signal: untilTaken }, async () => {
          // Two can become free at once.
          if (taken.signal.aborted) return
          taken.abort()
          await lead()
        }),
      ),
    )
  await locks.request(`envkeep-live-${id}`, { signal }, takeAnySlot).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
}

/**
 * Reads the stream until the signal, and opens it again after each end, with growing pauses. A tab that has lost the
 * collection stops following it when it is told of the end.
 */
async function readStream(id: number, pass: (message: LiveMessage) => void, signal: AbortSignal): Promise<void> {
  let pauseMs = firstPauseMs
  let isFirst = true
  while (!signal.aborted) {
    const end = await readOnce(id, signal, (message) => {
      if (message.event === "state") {
        pauseMs = firstPauseMs
        if (!isFirst) pass({ event: "unsure" })
        isFirst = false
      }
      pass(message)
    })
    if (end === "ended") pass({ event: "ended" })
    await pause(pauseMs * (0.5 + Math.random() / 2), signal)
    pauseMs = Math.min(2 * pauseMs, longestPauseMs)
  }
}

function readOnce(
  id: number,
  signal: AbortSignal,
  pass: (message: LiveMessage) => void,
): Promise<"ended" | "interrupted"> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve("interrupted")
    const source = new EventSource(`/api${collections.live.path.replace("{id}", String(id))}`)
    const end = (how: "ended" | "interrupted") => {
      source.close()
      signal.removeEventListener("abort", interrupt)
      resolve(how)
    }
    const interrupt = () => end("interrupted")
    signal.addEventListener("abort", interrupt)
    // A browser gives up after a refusal. After an interruption it would try again.
    source.addEventListener("error", () => end(source.readyState === EventSource.CLOSED ? "ended" : "interrupted"))
    for (const event of ["state", "list", "environment", "instances"] as const) {
      source.addEventListener(event, ({ data, lastEventId: position }: MessageEvent<string>) =>
        pass({ event, data: JSON.parse(data), position }),
      )
    }
    source.addEventListener("gone", () => end("ended"))
  })
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener("abort", () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
