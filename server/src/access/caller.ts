import { type Level, type Scope, scopeAllows, type TeamLevel } from "@envkeep/contract"
import type { AddressRanges } from "./address-ranges.ts"

/** Who makes a call. Only `http/` identifies callers. */
export type Caller = Guest | UserCaller | KeyCaller | ServerCaller

/** A person in a browser, signed in or not, or a program with a person's token. */
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
  /** When the call came in: for what is written down about it, so that it need not be looked up. */
  username: string
  isAdmin: boolean
  /** Undefined if the user is identified by a token. */
  sessionId: number | undefined
  /** When the session's user last logged in or confirmed. 0 if the user is identified by a token. */
  confirmedAt: number
  /** The server requires a second factor, and neither the account nor the session has one. */
  lacksFactor: boolean
  /** Undefined if the user is identified by a session. */
  token: UsedToken | undefined
}

/** What a personal token lets its user reach. */
export interface TokenReach {
  id: number
  scope: Scope
  /** Whether it reaches only the collections that it lists. */
  isLimited: boolean
}

interface UsedToken extends TokenReach {
  name: string
}

/** For a call that takes no tokens (`token: "never"`), so that its caller has a session. */
export function sessionOf({ sessionId }: UserCaller): number {
  if (sessionId === undefined) throw new Error("a call that needs a session was made with a token")
  return sessionId
}

/** A user in a call about collections. `level` is the level that the contract demands; `reach` puts it in the query. */
export interface Member extends UserCaller {
  level: Level
}

/** A user in a call about a team. `team` is what the contract demands; `reachTeam` puts it in the query. */
export interface TeamCaller extends UserCaller {
  team: TeamLevel
}

/** For a part of a call's answer that needs another level than the call itself. */
export function atLevel(caller: Member, level: Level): Member {
  return { ...caller, level }
}

/** Whether the scope of the caller's token, if there is one, is enough for a level. */
export function scopeReaches({ token }: Pick<Reaching, "token">, level: Level): boolean {
  return token === undefined || scopeAllows(token.scope, level)
}

/** What decides about a member's reach. */
export type Reaching = Pick<Member, "userId" | "level"> & { token: TokenReach | undefined }

/** A caller with an API key that is not checked yet: `key-holder.ts` finds out what it opens. */
export interface KeyCaller {
  kind: "key"
  keyHash: string
  /** The address block that the call comes from. */
  address: string
  /** The address itself, to be compared with those that a key allows. It is never stored. */
  ip: string
  /** The result of the last comparison. Many reads share one caller. */
  lastComparison: { ranges: AddressRanges; isInside: boolean } | undefined
  /** What the program calls itself. Anyone can claim anything, so it is only shown. */
  client: string
  /** How often it has read since this was last written down. Many reads share one caller. */
  reads: number
  /** Undefined if the program does not name itself. */
  instance: CallerInstance | undefined
}

/** What a program that names itself says. */
export interface CallerInstance {
  label: string
  /** Tells processes with the same label apart. */
  process: string
  /** The revision that it holds. 0 if it does not say. */
  holds: number
}

/** The server itself: at its start, in a command or in a job. */
export interface ServerCaller {
  kind: "server"
}

export const theServer: ServerCaller = { kind: "server" }
