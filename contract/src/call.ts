import type { z } from "zod"
import type { Steps } from "./long-list.ts"
import { type Level, levels } from "./roles.ts"

/**
 * Who may make a call. `anyone`: guests too. `user`: a signed-in user. `admin`: a signed-in administrator.
 * `key`: the holder of an environment's API key.
 */
export type Access = "anyone" | "user" | "admin" | "key"

/** What a user can be in a team. Admins are members too. */
export type TeamLevel = "member" | "admin"

/** What a personal token may do. Each scope includes the ones before it. */
export const scopes = ["names", "read", "write", "manage"] as const
export type Scope = (typeof scopes)[number]

/** The highest level that a token can use. The user's role in the collection still decides. */
const levelOfScope: Record<Scope, Level> = { names: "viewer", read: "reader", write: "editor", manage: "owner" }

export function scopeAllows(scope: Scope, level: Level): boolean {
  return levels.indexOf(level) <= levels.indexOf(levelOfScope[scope])
}

/** The scope that a token needs for a call. `never`: the call changes how one signs in, or is not for signed-in users. */
export function scopeOf({ level, token }: Pick<Call, "level" | "token">): Scope | "never" {
  if (token !== undefined || level === undefined) return token ?? "never"
  return scopes.find((scope) => scopeAllows(scope, level)) ?? "never"
}

/** One call over the wire. The server, the screens and the API document all derive from these. */
export interface Call<
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
  Who extends Access = Access,
  At extends Level | undefined = Level | undefined,
  In extends TeamLevel | undefined = TeamLevel | undefined,
> {
  access: Who
  /** For calls about collections: the least that the user must be there. Elsewhere absent. */
  level?: At
  /** For calls about a team: what the user must be in it. Elsewhere absent. */
  team?: In
  /** The session must have been confirmed in the last minutes: see `confirmMinutes`. Tokens are not asked. */
  confirm?: true
  /** Open to users who must set up a second factor first. All other calls of signed-in users are not. */
  beforeFactor?: true
  /** The scope of a personal token that can make the call, if the level does not say it or is not enough: see `scopeOf`. */
  token?: Scope | "never"
  method: "GET" | "POST" | "PUT" | "DELETE"
  /** Below `/api`; `{id}` stands for an input field of that name. */
  path: string
  /** One sentence for the API document. */
  summary: string
  /** The fields of the path, and of the body or the query, together. */
  input: Input
  /** What leaves the server. Fields that are not listed here are dropped. */
  output: Output
  /** The message of a success. */
  done: string
  /** 200 by default. */
  status?: 201
  /** The input fields that come in a header, with its name: text that would be too long for a URL. */
  inHeader?: Readonly<Record<string, string>>
  /** The input field that is the whole body, if the body is not an object of fields. The others are in the query. */
  body?: string
  /** For a body that is a long list: does what `input` does with it, and can be paused after every line. */
  bodyInSteps?: (sent: unknown) => Steps
  /** 16 KiB by default. */
  bodyBytes?: number
  /** 100 by default. With more, the body is a list that is checked in steps, and each of its elements has at most 100. */
  bodyParts?: number
  /** The answer is the text itself, not an envelope around data. */
  plain?: true
}

/** For how long a login, or a confirmation, is enough for calls with `confirm`. */
export const confirmMinutes = 10

export type InputOf<C extends Call> = z.output<C["input"]>
export type OutputOf<C extends Call> = z.output<C["output"]>

/** The shape of every answer below `/api` except plain ones. `data` is null when there is none. */
export interface Envelope<Data = unknown> {
  error: boolean
  msg: string
  data: Data
}

/** Declares a call. Its only purpose is that the compiler keeps the exact types. */
export function call<
  Input extends z.ZodType,
  Output extends z.ZodType,
  Who extends Access,
  const At extends Level | undefined = undefined,
  const In extends TeamLevel | undefined = undefined,
>(declared: Call<Input, Output, Who, At, In> & TokenOf<Who, At>): Call<Input, Output, Who, At, In> {
  return declared
}

/** A call of signed-in users has a level or a scope, so that none is open to tokens by accident. */
type TokenOf<Who extends Access, At> = Who extends "user" | "admin"
  ? At extends Level
    ? { token?: Scope }
    : { token: Scope | "never" }
  : { token?: Scope }

/** The names of the `{fields}` in a path. */
export function pathFields(path: string): string[] {
  return Array.from(path.matchAll(/\{(\w+)\}/g), (match) => match[1] as string)
}

/** Whether an input field that is not in the path goes into the query. A GET and a DELETE have no body. */
export function isInQuery({ method, body, inHeader }: Call, field: string): boolean {
  if (inHeader?.[field] !== undefined) return false
  return method === "GET" || method === "DELETE" || (body !== undefined && field !== body)
}

/** The message for refused input: the first fault, with its position if it is in a list. */
export function refusal(error: z.core.$ZodError): string {
  const issue = error.issues[0]
  if (issue === undefined) return "Invalid input"
  const index = issue.path.find((step) => typeof step === "number")
  return index === undefined ? issue.message : `Item ${index + 1}: ${issue.message}`
}
