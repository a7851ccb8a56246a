import type { Level } from "@envkeep/contract"

/** Who makes a call. The adapter makes one for every request; nothing else identifies anyone. */
export type Caller = Guest | UserCaller | KeyCaller | ServerCaller

/** Someone at a browser, signed in or not. */
export type Visitor = Guest | UserCaller

interface Browser {
  /** The address block the call comes from. */
  address: string
  /** The token of an earlier login from this browser; empty when it sends none. It may be planted: trust it for nothing. */
  device: string
}

export interface Guest extends Browser {
  kind: "guest"
}

/** A signed-in user. */
export interface UserCaller extends Browser {
  kind: "user"
  userId: number
  sessionId: number
  isAdmin: boolean
}

/** A user in a call about collections. `level` is what the contract asks of that call; `reach` puts it in the query. */
export interface Member extends UserCaller {
  level: Level
}

/** Someone who sends an API key. Whether it is a key, and what it opens, is for `key-holder.ts` to say. */
export interface KeyCaller {
  kind: "key"
  keyHash: string
}

/** The server itself: its start, its commands, its jobs. */
export interface ServerCaller {
  kind: "server"
}

export const theServer: ServerCaller = { kind: "server" }
