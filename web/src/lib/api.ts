import {
  type Call,
  type ConfirmNeeded,
  type Conflict,
  type Conflicts,
  type Envelope,
  type InputOf,
  type OutputOf,
  pathFields,
  refusal,
  type SecondFactorNeeded,
} from "@envkeep/contract"
import { confirmAgain } from "./confirm-again.ts"

/** A failed call, with a message for the user. The message is empty if the server sent none. */
export class ApiError extends Error {
  override name = "ApiError"
  /** The HTTP status. 0 if there was no answer or nothing was sent. */
  readonly status: number
  /** The session that this call needs has ended. */
  readonly sessionEnded: boolean
  /** What was changed after the revision that the call was made from. Undefined if that is not why it was refused. */
  readonly conflicts: Conflict[] | undefined
  /** What the login must be finished with. Undefined if that is not why it was refused. */
  readonly secondFactor: SecondFactorNeeded["secondFactor"] | undefined
  /** The user did not want to confirm, and knows that nothing was done. */
  readonly isCancelled: boolean

  constructor(message: string, { status = 0, sessionEnded = false, ...why }: Failure = {}) {
    super(message)
    this.status = status
    this.sessionEnded = sessionEnded
    this.conflicts = why.conflicts
    this.secondFactor = why.secondFactor
    this.isCancelled = why.isCancelled ?? false
  }
}

interface Failure {
  status?: number
  sessionEnded?: boolean
  conflicts?: Conflict[] | undefined
  secondFactor?: SecondFactorNeeded["secondFactor"] | undefined
  isCancelled?: boolean
}

export const unreachable = "The server cannot be reached. Nothing was lost; please check your connection and try again"

/** These succeed with any status from 200 to 299. Every other write succeeds with exactly the status of its contract. */
const acceptsAny2xx = ["POST /users/login", "POST /users/register", "POST /collection"]

/** What of a call is needed to make it. Its schemas check what the user has typed. */
type CallWithoutSchemas = Omit<Call, "summary" | "input" | "output">

interface Options {
  /** Send the input without checking it. */
  unchecked?: boolean
}

/** Makes a call and returns its data. Input that breaks the contract is refused here, with the same message as by the server. */
export async function api<C extends Call>(call: C, input: InputOf<C>): Promise<OutputOf<C>> {
  return (await answer(call, input)).data
}

/**
 * Like `api`, with the success message beside the data. If the user has to confirm first, it asks for that, and then makes
 * the call once more.
 */
export async function answer<C extends Call>(
  call: C,
  input: InputOf<C>,
  { unchecked = false }: Options = {},
): Promise<{ msg: string; data: OutputOf<C> }> {
  return (await exchange(call, unchecked ? input : checked(call, input))) as { msg: string; data: OutputOf<C> }
}

/** Makes one of the `firstCalls`. They have no input. */
export async function firstAnswer<C extends Call>(
  call: CallWithoutSchemas,
): Promise<{ msg: string; data: OutputOf<C> }> {
  return (await exchange(call, {})) as { msg: string; data: OutputOf<C> }
}

async function exchange(call: CallWithoutSchemas, input: unknown): Promise<{ msg: string; data: unknown }> {
  let { response, envelope, why } = await sendOnce(call, input)
  if (response.status === 403 && why.confirm !== undefined) {
    const { status } = response
    if (!(await confirmAgain(why.confirm))) throw new ApiError(envelope?.msg ?? "", { status, isCancelled: true })
    ;({ response, envelope, why } = await sendOnce(call, input))
  }
  const succeeded =
    call.method === "GET" || acceptsAny2xx.includes(`${call.method} ${call.path}`)
      ? response.ok
      : response.status === (call.status ?? 200)
  if (!succeeded || envelope === undefined || envelope.error) {
    throw new ApiError(envelope?.msg ?? "", {
      status: response.status,
      sessionEnded: response.status === 401 && call.access !== "anyone",
      conflicts: why.conflicts,
      secondFactor: why.secondFactor,
    })
  }
  return { msg: envelope.msg, data: envelope.data }
}

async function sendOnce(call: CallWithoutSchemas, input: unknown) {
  const response = await send(call, input)
  const envelope = await readEnvelope(response)
  return { response, envelope, why: (envelope?.error && (envelope.data as WhyRefused | null)) || {} }
}

/** What the data of a refusal can say. */
type WhyRefused = Partial<Conflicts & ConfirmNeeded & SecondFactorNeeded>

function checked<C extends Call>(call: C, input: InputOf<C>): unknown {
  const parsed = call.input.safeParse(input)
  if (!parsed.success) throw new ApiError(refusal(parsed.error))
  return parsed.data
}

async function send(call: CallWithoutSchemas, input: unknown): Promise<Response> {
  const rest: Record<string, unknown> = { ...(input as object) }
  let path = call.path
  for (const field of pathFields(call.path)) {
    path = path.replace(`{${field}}`, encodeURIComponent(String(rest[field])))
    delete rest[field]
  }
  const headers: Record<string, string> = {}
  for (const [field, name] of Object.entries(call.inHeader ?? {})) {
    if (rest[field] !== undefined) headers[name] = String(rest[field])
    delete rest[field]
  }
  const { [call.body ?? ""]: content, ...others } = rest
  const hasBody = call.method === "POST" || call.method === "PUT"
  const [body, query] = hasBody && call.body === undefined ? [rest, ""] : [content, queryOf(others)]
  if (hasBody) headers["content-type"] = "application/json"
  try {
    return await fetch(`/api${path}${query}`, {
      method: call.method,
      credentials: "same-origin",
      headers,
      ...(hasBody && { body: JSON.stringify(body) }),
    })
  } catch {
    throw new ApiError(unreachable)
  }
}

function queryOf(fields: Record<string, unknown>): string {
  // An empty note is none.
  const given = Object.entries(fields).flatMap(([name, value]) =>
    value == null || value === "" ? [] : [[name, String(value)]],
  )
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`
}

/** Undefined if the answer is not an envelope, for example when a proxy answered. */
async function readEnvelope(response: Response): Promise<Envelope | undefined> {
  try {
    const body: unknown = await response.json()
    return typeof body === "object" && body !== null && "error" in body ? (body as Envelope) : undefined
  } catch {
    return undefined
  }
}
