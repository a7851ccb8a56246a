import type { z } from "zod"

/**
 * Who may make a call. `anyone`: guests too. `user`: a signed-in user. `admin`: a signed-in administrator.
 * `key`: the holder of an environment's API key.
 */
export type Access = "anyone" | "user" | "admin" | "key"

/** What a user can be in a collection. Each level includes the ones before it. */
export const levels = ["viewer", "reader", "editor", "maintainer", "owner"] as const
export type Level = (typeof levels)[number]

/** One call over the wire. The server, the screens and the API document all derive from these. */
export interface Call<
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
  Who extends Access = Access,
  At extends Level | undefined = Level | undefined,
> {
  access: Who
  /** For calls about collections: the least that the user must be there. Elsewhere absent. */
  level?: At
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
  /** The input field that is the whole body, if the body is not an object of fields. The others are in the query. */
  body?: string
  /** 16 KiB by default. */
  bodyBytes?: number
  /** 100 by default. With more, the body is a list, and each of its elements has at most 100. */
  bodyParts?: number
  /** The answer is the text itself, not an envelope around data. */
  plain?: true
}

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
>(declared: Call<Input, Output, Who, At>): Call<Input, Output, Who, At> {
  return declared
}

/** The names of the `{fields}` in a path. */
export function pathFields(path: string): string[] {
  return Array.from(path.matchAll(/\{(\w+)\}/g), (match) => match[1] as string)
}

/** Whether an input field that is not in the path goes into the query. A GET and a DELETE have no body. */
export function isInQuery({ method, body }: Call, field: string): boolean {
  return method === "GET" || method === "DELETE" || (body !== undefined && field !== body)
}

/** The message for refused input: the first fault, with its position if it is in a list. */
export function refusal(error: z.core.$ZodError): string {
  const issue = error.issues[0]
  if (issue === undefined) return "Invalid input"
  const index = issue.path.find((step) => typeof step === "number")
  return index === undefined ? issue.message : `Item ${index + 1}: ${issue.message}`
}
