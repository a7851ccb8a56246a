import type { Level } from "@envkeep/contract"

/** Who makes a call. Only `http/` identifies callers. */
export type Caller = Guest | UserCaller | KeyCaller | ServerCaller

/** A person in a browser, signed in or not. */
export type Visitor = Guest | UserCaller

interface Browser {
  /** The address block that the call comes from. */
  address: string
  /** The token of an earlier login from this browser; empty if it sends none. Anyone can plant one: do not trust it. */
  device: string
  /** What the browser or program calls itself. Anyone can claim anything, so it is only shown. */
  client: string
}

export interface Guest extends Browser {
  kind: "guest"
}

export interface UserCaller extends Browser {
  kind: "user"
  userId: number
  sessionId: number
  isAdmin: boolean
}

/** A user in a call about collections. `level` is the level that the contract demands; `reach` puts it in the query. */
export interface Member extends UserCaller {
  level: Level
}

/** What decides about a member's reach. */
export type Reaching = Pick<Member, "userId" | "level">

/** A caller with an API key that is not checked yet: `key-holder.ts` finds out what it opens. */
export interface KeyCaller {
  kind: "key"
  keyHash: string
  /** The address block that the call comes from. */
  address: string
  /** What the program calls itself. Anyone can claim anything, so it is only shown. */
  client: string
  /** How often it has read since this was last written down. Many reads share one caller. */
  reads: number
}

/** The server itself: at its start, in a command or in a job. */
export interface ServerCaller {
  kind: "server"
}

export const theServer: ServerCaller = { kind: "server" }
