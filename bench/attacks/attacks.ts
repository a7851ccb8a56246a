import { connect, type Socket } from "node:net"
import { limits, variables } from "@envkeep/contract"
import { requestText } from "../load/request.ts"
import { password, readPath } from "../stock.ts"
import type { Target } from "./target.ts"

export interface Attack {
  name: string
  start(target: Target): void
}

const json = (path: string, body: string, headers: Record<string, string> = {}) =>
  requestText({ method: "POST", path, headers, body })
const login = (body: string) => json("/api/users/login", body)
const get = (path: string, headers: Record<string, string>) => requestText({ path, headers })
const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
const bulk = ({ cookie }: Target, id: number, body: string) => json(`/api/subcollection/${id}/bulk`, body, { cookie })

/** The most expensive requests, valid and not, that one guest, user or key holder can make. */
export const attacks: Attack[] = [
  {
    name: "guest: half a million brackets to the login",
    start: ({ port }) => again(port, 8, login("[".repeat(500_000))),
  },
  {
    name: "guest: a list of empty objects to the login",
    start: ({ port }) => again(port, 8, login(`[${"{},".repeat(300_000)}{}]`)),
  },
  {
    name: "guest: a password of a megabyte",
    start: ({ port }) => again(port, 8, login(JSON.stringify({ email: "a@example.com", password: "x".repeat(1e6) }))),
  },
  {
    name: "guest: wrong passwords",
    start: ({ port }) => again(port, 16, login('{"email":"owner@example.com","password":"not the password"}')),
  },
  {
    name: "guest: wrong keys, each another",
    start: ({ port }) => {
      let tries = 0
      again(port, 32, () => get(readPath, bearer(`ek_${String(++tries).padStart(40, "0")}`)))
    },
  },
  {
    name: "guest: half a request, and no more",
    start: ({ port }) => {
      for (let at = 0; at < 500; at++) open(port).write("POST /api/users/login HTTP/1.1\r\nhost: x\r\ncontent-le")
    },
  },
  {
    name: "guest: made-up sessions, without waiting for answers",
    start: ({ port }) => {
      let tries = 0
      const many = () => {
        let requests = ""
        for (let at = 0; at < 200; at++) {
          requests += get("/api/users/me", { cookie: `envkeep_session=${String(++tries).padStart(43, "0")}` })
        }
        return requests
      }
      again(port, 8, many)
    },
  },
  {
    name: "user: bulk of empty objects",
    start: (target) => {
      const body = `[${"{},".repeat(limits.bulkBodyBytes / 3 - 2)}{}]`
      again(target.port, 6, bulk(target, target.scratchId, body))
    },
  },
  {
    name: "user: bulk of nested lists",
    start: (target) => again(target.port, 6, bulk(target, target.scratchId, "[".repeat(limits.bulkBodyBytes - 1))),
  },
  {
    name: "user: bulk saves of 10,000 items, each time others",
    start: (target) => {
      let turn = 0
      const body = (mark: number) =>
        JSON.stringify(
          Array.from({ length: 10_000 }, (_, n) => ({ name: `a-${mark % 2}-${n}`, value: `${mark} ${n}` })),
        )
      again(target.port, 6, () => bulk(target, target.scratchId, body(++turn)))
    },
  },
  {
    name: "user: bulk saves of 4 MiB in few items",
    start: (target) => {
      let turn = 0
      const body = (mark: number) =>
        JSON.stringify(
          Array.from({ length: 60 }, (_, n) => ({ name: `BIG_${n}`, value: String(mark % 10).repeat(65_000) })),
        )
      again(target.port, 6, () => bulk(target, target.scratchId, body(++turn)))
    },
  },
  {
    name: "user: 400 single writes at once",
    start: ({ port, cookie, scratchId }) => {
      let turn = 0
      again(port, 400, () =>
        json("/api/collectionItem", JSON.stringify({ name: `S_${++turn}`, value: "x", subCollectionId: scratchId }), {
          cookie,
        }),
      )
    },
  },
  {
    name: "user: the largest collection, read over and over",
    start: ({ port, cookie, fullCollectionId }) =>
      again(port, 6, get(`/api/collection/${fullCollectionId}`, { cookie })),
  },
  {
    name: "user: the largest collection, 14 answers not read",
    start: ({ port, cookie, fullCollectionId }) =>
      unread(port, 14, get(`/api/collection/${fullCollectionId}`, { cookie })),
  },
  {
    name: "user: HEAD of the largest collection",
    start: ({ port, cookie, fullCollectionId }) =>
      again(port, 12, get(`/api/collection/${fullCollectionId}`, { cookie }).replace("GET", "HEAD")),
  },
  {
    name: "key: 4 MiB of quotes as shell, over and over",
    start: ({ port, quotes }) => again(port, 8, get(`${readPath}?format=shell`, bearer(quotes.key))),
  },
  {
    name: "key: every format in turn",
    start: ({ port, full, quotes }) => {
      const formats = ["json", "raw", "dotenv", "shell", "yaml", "systemd", "docker", "k8s"]
      let turn = 0
      again(port, 8, () => {
        turn++
        return get(`${readPath}?format=${formats[turn % 8]}`, bearer(turn % 16 < 8 ? full.key : quotes.key))
      })
    },
  },
  {
    name: "key: what a format refuses",
    start: ({ port, full }) => again(port, 8, get(`${readPath}?format=docker`, bearer(full.key))),
  },
  {
    name: "key: 60 large answers not read",
    start: ({ port, full }) => unread(port, 60, get(`${readPath}?format=json`, bearer(full.key))),
  },
  {
    name: "key: requests without end behind a watch",
    start: ({ port, quotes }) => {
      const watch = get(`/api${variables.watch.path}`, bearer(quotes.key))
      const more = get("/api/users/me", {}).repeat(1_000)
      const join = () => {
        const socket = open(port)
        const send = () => {
          while (socket.writable && socket.write(more));
        }
        socket.on("drain", send)
        socket.on("connect", () => socket.write(watch, send))
        socket.on("close", () => setTimeout(join, 50))
      }
      for (let at = 0; at < 8; at++) join()
    },
  },
  {
    name: "key: watchers that hang up at once",
    start: ({ port, quotes }) => {
      const request = get(`/api${variables.watch.path}`, bearer(quotes.key))
      const hangUp = () => {
        const socket = open(port)
        socket.on("connect", () => socket.write(request, () => socket.resetAndDestroy()))
        socket.on("close", () => setImmediate(hangUp))
      }
      for (let at = 0; at < 50; at++) hangUp()
    },
  },
]

/** Who signs in during a storm. Not the one who is watched: an account keeps only so many sessions. */
export const stormEmails = Array.from({ length: 20 }, (_, n) => `storm${n}@example.com`)

/** Many people at once, each from an address of their own, with the right password. */
export const signInStorm: Attack = {
  name: "people: a storm of sign-ins",
  start: ({ port }) => {
    let turn = 0
    const bodies = stormEmails.map((email) => JSON.stringify({ email, password }))
    again(port, 200, () => {
      const address = `10.${(turn >> 16) & 255}.${(turn >> 8) & 255}.${turn & 255}`
      const body = bodies[turn++ % bodies.length] ?? ""
      return json("/api/users/login", body, { "x-forwarded-for": address })
    })
  },
}

function open(port: number): Socket {
  return connect({ host: "127.0.0.1", port, noDelay: true }).on("error", () => undefined)
}

/** As many connections, each of which sends the next request when the answer to the last has begun. */
function again(port: number, connections: number, request: string | (() => string)): void {
  const next = typeof request === "string" ? () => request : request
  const join = () => {
    const socket = open(port)
    let isSending = false
    const send = () => {
      isSending = true
      socket.write(next(), () => {
        isSending = false
      })
    }
    socket.on("connect", send)
    socket.on("data", (piece) => {
      // An answer starts with its status line; what follows of it is only read.
      if (piece.subarray(0, 5).toString("latin1") === "HTTP/" && !isSending) send()
    })
    // After a pause: an attacker that is cut off comes back.
    socket.on("close", () => setTimeout(join, 50))
  }
  for (let at = 0; at < connections; at++) join()
}

/** As many connections that ask and never read. */
function unread(port: number, connections: number, request: string): void {
  for (let at = 0; at < connections; at++) {
    const socket = open(port)
    socket.pause()
    socket.on("connect", () => socket.write(request))
  }
}
