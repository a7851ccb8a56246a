import {
  type Call,
  collections,
  type Envelope,
  type InputOf,
  type OutputOf,
  pathFields,
  refusal,
  users,
} from "@envkeep/contract"

/** A call that failed, with the sentence its user should read. The sentence is empty when the server gave none. */
export class ApiError extends Error {
  override name = "ApiError"
  /** The status of the answer; 0 when there was no answer or nothing was sent. */
  readonly status: number
  /** The server no longer knows the session that this call needs. */
  readonly sessionEnded: boolean

  constructor(message: string, { status = 0, sessionEnded = false } = {}) {
    super(message)
    this.status = status
    this.sessionEnded = sessionEnded
  }
}

export const unreachable = "The server cannot be reached. Nothing was lost; please check your connection and try again"

/** These succeed with any status from 200 to 299; every other write with exactly 200. */
const acceptsAny2xx: Call[] = [users.login, users.register, collections.create]

interface Options {
  /** Send the input as it is and let the server judge it. */
  unchecked?: boolean
}

/** Makes a call and gives its data. Input that the contract refuses is refused here, in the server's own words. */
export async function api<C extends Call>(call: C, input: InputOf<C>): Promise<OutputOf<C>> {
  return (await answer(call, input)).data
}

/** Like `api`, with the sentence of success beside the data. */
export async function answer<C extends Call>(
  call: C,
  input: InputOf<C>,
  { unchecked = false }: Options = {},
): Promise<{ msg: string; data: OutputOf<C> }> {
  const response = await send(call, unchecked ? input : checked(call, input))
  const envelope = await readEnvelope(response)
  const succeeded = call.method === "GET" || acceptsAny2xx.includes(call) ? response.ok : response.status === 200
  if (!succeeded || envelope === undefined || envelope.error) {
    throw new ApiError(envelope?.msg ?? "", {
      status: response.status,
      sessionEnded: response.status === 401 && call.access !== "anyone",
    })
  }
  return { msg: envelope.msg, data: envelope.data as OutputOf<C> }
}

function checked<C extends Call>(call: C, input: InputOf<C>): unknown {
  const parsed = call.input.safeParse(input)
  if (!parsed.success) throw new ApiError(refusal(parsed.error))
  return parsed.data
}

async function send(call: Call, input: unknown): Promise<Response> {
  const rest: Record<string, unknown> = { ...(input as object) }
  let path = call.path
  for (const field of pathFields(call.path)) {
    path = path.replace(`{${field}}`, encodeURIComponent(String(rest[field])))
    delete rest[field]
  }
  const { [call.body ?? ""]: whole, ...others } = rest
  const [body, query] = call.body === undefined ? [rest, ""] : [whole, queryOf(others)]
  const hasBody = call.method === "POST" || call.method === "PUT"
  try {
    return await fetch(`/api${path}${query}`, {
      method: call.method,
      credentials: "same-origin",
      ...(hasBody && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    })
  } catch {
    throw new ApiError(unreachable)
  }
}

function queryOf(fields: Record<string, unknown>): string {
  const said = Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  return said.length === 0 ? "" : `?${new URLSearchParams(said)}`
}

/** Undefined for an answer that is no envelope: something between us and the server spoke in its place. */
async function readEnvelope(response: Response): Promise<Envelope | undefined> {
  try {
    const body: unknown = await response.json()
    return typeof body === "object" && body !== null && "error" in body ? (body as Envelope) : undefined
  } catch {
    return undefined
  }
}
