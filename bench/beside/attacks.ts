import { connect, type Socket } from "node:net"
import { setTimeout as wait } from "node:timers/promises"
import { limits } from "@envkeep/contract"
import { password } from "../client.ts"
import { requestText } from "../line.ts"
import { bearer, readPath, readRequest, watchPath } from "../stock.ts"

/** What the attackers know: they own an account, collections full of awkward values, and keys. */
export interface Target {
  port: number
  cookie: string
  /** Of a small environment. */
  key: string
  /** A collection as large as it may be, full of control characters, which are six times as long in JSON. */
  fullCollectionId: number
  /** Of one of its environments. */
  fullKey: string
  /** Of an environment as large as it may be, full of quotes. */
  quotesKey: string
  /** A small environment to write to. */
  scratchId: number
}

type Attack = (target: Target) => void

const json = (path: string, body: string, headers: Record<string, string> = {}) =>
  requestText({ method: "POST", path, headers, body })
const login = (body: string) => json("/api/users/login", body)
const get = (path: string, headers: Record<string, string>) => requestText({ path, headers })
const bulk = ({ cookie, scratchId }: Target, body: string) =>
  json(`/api/subcollection/${scratchId}/bulk`, body, { cookie })
const largest = ({ cookie, fullCollectionId }: Target) => get(`/api/collection/${fullCollectionId}`, { cookie })

/** A list of items whose names and values depend on the turn. */
const itemsOf = (count: number, item: (n: number) => { name: string; value: string }) =>
  JSON.stringify(Array.from({ length: count }, (_, n) => item(n)))

/** The most expensive requests, valid and not, that one guest, user or key holder can make. */
export const attacks: Record<string, Attack> = {
  "guest: half a million brackets to the login": again(8, () => login("[".repeat(500_000))),
  "guest: a list of empty objects to the login": again(8, () => login(`[${"{},".repeat(300_000)}{}]`)),
  "guest: a password of a megabyte": again(8, () =>
    login(JSON.stringify({ email: "a@example.com", password: "x".repeat(1e6) })),
  ),
  "guest: wrong passwords": again(16, () => login('{"email":"owner@example.com","password":"not the password"}')),
  "guest: wrong keys, each another": again(
    32,
    () => (turn) => get(readPath, bearer(`ek_${String(turn).padStart(40, "0")}`)),
  ),
  "guest: half a request, and no more": ({ port }) => {
    for (let at = 0; at < 500; at++) open(port).write("POST /api/users/login HTTP/1.1\r\nhost: x\r\ncontent-le")
  },
  "guest: made-up sessions, without waiting for answers": again(8, () => (turn) => {
    const session = (n: number) => `envkeep_session=${String(200 * turn + n).padStart(43, "0")}`
    return Array.from({ length: 200 }, (_, n) => get("/api/users/me", { cookie: session(n) })).join("")
  }),
  "user: bulk of empty objects": again(6, (target) =>
    bulk(target, `[${"{},".repeat(limits.bulkBodyBytes / 3 - 2)}{}]`),
  ),
  "user: bulk of nested lists": again(6, (target) => bulk(target, "[".repeat(limits.bulkBodyBytes - 1))),
  "user: bulk saves of 10,000 items, each time others": again(
    6,
    (target) => (turn) =>
      bulk(
        target,
        itemsOf(10_000, (n) => ({ name: `a-${turn % 2}-${n}`, value: `${turn} ${n}` })),
      ),
  ),
  "user: bulk saves of 4 MiB in few items": again(
    6,
    (target) => (turn) =>
      bulk(
        target,
        itemsOf(60, (n) => ({ name: `BIG_${n}`, value: String(turn % 10).repeat(65_000) })),
      ),
  ),
  "user: 400 single writes at once": again(400, ({ cookie, scratchId }) => (turn) => {
    const item = { name: `S_${turn}`, value: "x", subCollectionId: scratchId }
    return json("/api/collectionItem", JSON.stringify(item), { cookie })
  }),
  "user: the largest collection, read over and over": again(6, largest),
  "user: the largest collection, 14 answers not read": unread(14, largest),
  "user: HEAD of the largest collection": again(12, (target) => largest(target).replace("GET", "HEAD")),
  "key: 4 MiB of quotes as shell, over and over": again(8, ({ quotesKey }) =>
    get(`${readPath}?format=shell`, bearer(quotesKey)),
  ),
  "key: every format in turn": again(8, ({ fullKey, quotesKey }) => {
    const formats = ["json", "raw", "dotenv", "shell", "yaml", "systemd", "docker", "k8s"]
    return (turn) => get(`${readPath}?format=${formats[turn % 8]}`, bearer(turn % 16 < 8 ? fullKey : quotesKey))
  }),
  "key: what a format refuses": again(8, ({ fullKey }) => get(`${readPath}?format=docker`, bearer(fullKey))),
  "key: 60 large answers not read": unread(60, ({ fullKey }) => get(`${readPath}?format=json`, bearer(fullKey))),
  "key: requests without end behind a watch": ({ port, quotesKey }) => {
    const watch = get(watchPath, bearer(quotesKey))
    const more = get("/api/users/me", {}).repeat(1_000)
    keep(port, { count: 8, pauseMs: () => 50 }, (socket) => {
      const send = () => {
        while (socket.writable && socket.write(more));
      }
      socket.pause().on("drain", send)
      socket.write(watch, send)
    })
  },
  "key: watchers that hang up at once": ({ port, quotesKey }) => {
    const watch = get(watchPath, bearer(quotesKey))
    keep(port, { count: 50, pauseMs: () => 0 }, (socket) => {
      socket.on("connect", () => socket.write(watch, () => socket.resetAndDestroy()))
    })
  },
}

/** Who signs in during a storm. Not the one who is watched: an account keeps only so many sessions. */
export const stormEmails = Array.from({ length: 20 }, (_, n) => `storm${n}@example.com`)

const beside: Record<string, Attack> = {
  /** Many people at once, each from an address of their own, with the right password. */
  "sign-ins": again(200, () => {
    const bodies = stormEmails.map((email) => JSON.stringify({ email, password }))
    return (turn) => {
      const address = `10.${(turn >> 16) & 255}.${(turn >> 8) & 255}.${turn & 255}`
      return json("/api/users/login", bodies[turn % bodies.length] ?? "", { "x-forwarded-for": address })
    }
  }),
  /** Ninety connections of clients that are slow, silent, never read, or leave at once. */
  "slow clients": ({ port, key }) => {
    const read = readRequest(key)
    const keepSlow = (count: number, behave: (socket: Socket) => unknown) =>
      keep(port, { count, pauseMs: () => Math.random() * 200 }, behave)
    // Headers one byte at a time; half a body; nothing at all; a hundred requests whose answers are not read.
    keepSlow(30, (socket) => drip(socket, read))
    keepSlow(15, (socket) => socket.write(login('{"email":"slow@example.com"}').slice(0, -5)))
    keepSlow(15, () => undefined)
    keepSlow(10, (socket) => socket.pause().write(read.repeat(100)))
    keepSlow(20, async (socket) => {
      socket.write(get(watchPath, bearer(key)))
      await wait(500 + Math.random() * 4_000)
      socket.destroy()
    })
  },
}

export interface AttackOrder {
  name: string
  target: Target
}

export function beginAttack({ name, target }: AttackOrder): void {
  const attack = attacks[name] ?? beside[name]
  if (attack === undefined) throw new Error(`there is no attack ${name}`)
  attack(target)
}

function open(port: number): Socket {
  return connect({ host: "127.0.0.1", port, noDelay: true }).on("error", () => undefined)
}

/** Keeps this many connected: one that the server cuts off connects again after a pause. */
function keep(
  port: number,
  { count, pauseMs }: { count: number; pauseMs: () => number },
  behave: (socket: Socket) => unknown,
): void {
  const join = () => {
    const socket = open(port)
    // Read and dropped, except by those that pause.
    socket.on("data", () => undefined)
    socket.on("close", () => setTimeout(join, pauseMs()))
    behave(socket)
  }
  for (let at = 0; at < count; at++) join()
}

/** As many connections, each of which sends the next request when the answer to the last has begun. */
function again(count: number, prepare: (target: Target) => string | ((turn: number) => string)): Attack {
  return (target) => {
    const prepared = prepare(target)
    const next = typeof prepared === "string" ? () => prepared : prepared
    let turn = 0
    keep(target.port, { count, pauseMs: () => 50 }, (socket) => {
      let isSending = false
      const send = () => {
        isSending = true
        socket.write(next(++turn), () => {
          isSending = false
        })
      }
      socket.on("connect", send)
      socket.on("data", (piece) => {
        // An answer starts with its status line; what follows of it is only read.
        if (piece.subarray(0, 5).toString("latin1") === "HTTP/" && !isSending) send()
      })
    })
  }
}

/** As many connections that ask and never read. */
function unread(count: number, request: (target: Target) => string): Attack {
  return (target) => {
    for (let at = 0; at < count; at++) open(target.port).pause().write(request(target))
  }
}

async function drip(socket: Socket, text: string): Promise<void> {
  for (const letter of text) {
    if (socket.destroyed) return
    socket.write(letter)
    await wait(500)
  }
}
