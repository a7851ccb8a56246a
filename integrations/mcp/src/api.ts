import { collections, type Envelope, history, type InputOf, names, type OutputOf, pathFields } from "@envkeep/contract"
import type { Settings } from "./settings.ts"
import { version } from "./version.ts"

/**
 * All that this program ever asks for. None of these answers has a field for a value, so that none arrives here even if the
 * token could read it.
 */
export const allowedCalls = {
  collections: collections.list,
  describedNames: names.list,
  environmentNames: names.inEnvironments,
  revisions: history.list,
  nameHistory: history.ofName,
}
export type AllowedCalls = typeof allowedCalls

/** A failure that the agent is meant to read. */
export class AskError extends Error {
  override name = "AskError"
}

const timeoutMs = 10_000
/** The names of the largest collection take less. */
const maxAnswerBytes = 64 * 1024 * 1024

export type Ask = <Name extends keyof AllowedCalls>(
  name: Name,
  input: InputOf<AllowedCalls[Name]>,
) => Promise<OutputOf<AllowedCalls[Name]>>

export function createAsk(settings: Settings): Ask {
  return async (name, input) => {
    const call = allowedCalls[name]
    const text = await fetchText(settings, `/api${addressOf(call.path, input)}`)
    // The schema keeps the fields that it declares and drops all others.
    const data = call.output.safeParse(dataIn(settings, text))
    if (!data.success) throw new AskError(`${settings.url} answered in a way that this version does not understand`)
    return data.data as OutputOf<AllowedCalls[typeof name]>
  }
}

function addressOf(path: string, input: Record<string, unknown>): string {
  const inPath = pathFields(path)
  const filled = path.replace(/\{(\w+)\}/g, (_, field: string) => encodeURIComponent(String(input[field])))
  const query = new URLSearchParams()
  for (const [field, value] of Object.entries(input)) {
    if (!inPath.includes(field) && value !== undefined) query.set(field, String(value))
  }
  return query.size === 0 ? filled : `${filled}?${query}`
}

async function fetchText({ url, token }: Settings, address: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, "user-agent": `envkeep-mcp/${version}` }
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    // A redirect would carry the token to another server.
    const response = await fetch(url + address, { headers, signal, redirect: "error" })
    const text = await readText(response)
    if (response.ok) return text
    throw new AskError(refusalOf(url, response.status, text))
  } catch (error) {
    if (error instanceof AskError) throw error
    if (signal.aborted) throw new AskError(`${url} did not answer within ${timeoutMs / 1_000} seconds`)
    throw new AskError(`${url} cannot be reached`)
  }
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > maxAnswerBytes) throw new AskError("The answer is too large")
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

function refusalOf(url: string, status: number, text: string): string {
  if (status === 401) return `${url} refuses the token: it was revoked, has expired, or belongs to another server`
  const message = messageIn(text)
  return message === undefined ? `${url} answered with status ${status}` : `${url} says: ${message}`
}

function messageIn(text: string): string | undefined {
  try {
    const { msg } = JSON.parse(text) as Envelope
    return typeof msg === "string" ? msg.replace(/\p{Cc}+/gu, " ").slice(0, 500) : undefined
  } catch {
    return undefined
  }
}

function dataIn({ url }: Settings, text: string): unknown {
  try {
    return (JSON.parse(text) as Envelope).data
  } catch {
    throw new AskError(`${url} is not an Envkeep server`)
  }
}
