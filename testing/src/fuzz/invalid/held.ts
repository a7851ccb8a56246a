import { isUtf8 } from "node:buffer"
import type { Call } from "@envkeep/contract"
import { expect } from "vitest"
import { envelopeOf, type Received, type Sent } from "../wire.ts"
import type { World } from "../world.ts"
import { type Request, written } from "./requests.ts"
import { actorOf, type Scene, type Somebody, stateOf } from "./scene.ts"
import { meant } from "./targets.ts"

/** Where requests are made: who is there, and what the store held after the last of them. */
export interface Stage {
  world: World
  scene: Scene
  state: Map<string, string>
}

/** Makes a request and holds the answer, and the store behind it, against what must be true of any. */
export async function expectHeld(stage: Stage, request: Request): Promise<void> {
  const { world, scene } = stage
  const access = accessOf(request)
  const actor = actorOf(scene, request, access)
  const sent = written(request, {
    ownIds: (actor ?? scene.attacker).ids,
    othersIds: scene.victim.ids,
    othersEmail: scene.victim.email,
    headers: credentials(actor, access),
  })
  const received = await world.wire.send(sent)
  expectAnswer(sent, received)
  expectDiscretion(scene, actor, received)

  const state = await stateOf(world)
  if (received.status >= 300) {
    expect(Object.fromEntries(state)).toEqual(Object.fromEntries(stage.state))
    return
  }
  expectEntitled(sent, received, actor)
  for (const owner of ownersBut(stage, actor)) expect(state.get(owner)).toBe(stage.state.get(owner))
  if ([...state.values()].join("") !== [...stage.state.values()].join("")) stage.state = state
}

const accessOf = ({ call }: Request) => meantByName(call)?.access ?? "anyone"

function meantByName(name: string): Call | undefined {
  const [method = "", path = ""] = name.split(" ")
  return meant({ method, path: `/api${path.replace(/\{\w+\}/, "1")}`, body: undefined })?.call
}

function credentials(actor: Somebody | undefined, access: string): Record<string, string> {
  if (actor === undefined) return {}
  return access === "key" ? { authorization: `Bearer ${actor.key}` } : { cookie: `envkeep_session=${actor.token}` }
}

/** A success, or a refusal in the envelope and in plain words; never a fault of ours. */
function expectAnswer({ method, path }: Sent, received: Received): void {
  const { status, text } = received
  const told = `${method} ${path.slice(0, 200)} ${status} ${text.slice(0, 300)}`
  expect(status, told).toBeLessThan(500)
  if (method === "HEAD" || status === 304) return
  if (status < 300 && path.startsWith("/api/v1/variables")) return
  const envelope = envelopeOf(received)
  expect(envelope, told).toBeDefined()
  expect(envelope?.error, told).toBe(status >= 300)
  expect(envelope?.msg, told).toMatch(/^[A-Z][^\n]{1,200}$/)
  if (status >= 300) expect(envelope?.data, told).toBeNull()
}

/** Nothing of anybody else's is in the answer, its headers included. */
function expectDiscretion(scene: Scene, actor: Somebody | undefined, { headers, text }: Received): void {
  const told = `${JSON.stringify(headers)}\n${text}`
  for (const other of Object.values(scene)) {
    if (other === actor) continue
    for (const secret of other.secrets) expect(told.includes(secret), `${secret} in ${told}`).toBe(false)
  }
}

/** What succeeded was a call of the contract, with input its schema takes, by somebody who may make it. */
function expectEntitled({ method, path, body }: Sent, { status }: Received, actor: Somebody | undefined): void {
  const told = `${method} ${path.slice(0, 200)} ${String(body).slice(0, 200)} ${status}`
  const understood = meant({ method, path, body: body === undefined ? undefined : body.toString("utf8") })
  if (understood === undefined) throw new Error(`a success for no call: ${told}`)
  if (understood.call.method !== "GET") expect(isUtf8(Buffer.from(body ?? "")), told).toBe(true)
  const accepted = understood.call.input.safeParse(understood.input)
  expect(accepted.error?.issues, told).toBeUndefined()
  if (understood.call.access !== "anyone") expect(actor, told).toBeDefined()
  if (understood.call.access === "admin") expect(actor?.isAdmin, told).toBe(true)
}

/** Whose things the actor may not change. Accounts that were made on the way are anybody's: their password is known. */
function ownersBut({ scene }: Stage, actor: Somebody | undefined): string[] {
  const others = Object.values(scene).filter((one) => one !== actor)
  return [...others.map(({ id }) => String(id)), ...(actor === scene.admin ? [] : ["products"])]
}
