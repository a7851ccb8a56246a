import { isUtf8 } from "node:buffer"
import { type Call, Conflicts } from "@envkeep/contract"
import { expect } from "vitest"
import type { FuzzApp } from "../fuzz-app.ts"
import { envelopeOf, type HttpRequest, type HttpResponse } from "../http-client.ts"
import { type Actor, type Actors, accountOwner, actorOf, noticeAdmins, rowsByOwner } from "./actors.ts"
import { buildRequest, type RequestPlan } from "./requests.ts"
import { matchCall } from "./targets.ts"

/** The app, the actors in its store, and all rows after the last request. */
export interface Fixture {
  app: FuzzApp
  actors: Actors
  rows: Map<string, string>
}

/** Makes a request and checks what must be true of every answer, and of the store after every request. */
export async function sendAndCheck(fixture: Fixture, request: RequestPlan): Promise<void> {
  const { app, actors } = fixture
  const access = accessOf(request)
  const actor = actorOf(actors, request, access)
  const sent = buildRequest(request, {
    ownIds: (actor ?? actors.attacker).ids,
    othersIds: actors.victim.ids,
    othersEmail: actors.victim.email,
    headers: credentials(actor, access),
  })
  const received = await app.http.send(sent)
  expectAnswer(sent, received)
  expectNoForeignSecret(actors, actor, showsEmails(sent, actor) ? withoutEmails(actors, received) : received)

  const rows = await rowsByOwner(app)
  if (received.status >= 300) {
    expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(fixture.rows))
    return
  }
  expectAllowed(sent, received, actor)
  for (const owner of protectedOwners(fixture, sent, actor)) expect(rows.get(owner)).toBe(fixture.rows.get(owner))
  await noticeAdmins(app, actors)
  if ([...rows.values()].join("") !== [...fixture.rows.values()].join("")) fixture.rows = rows
}

const accessOf = ({ call }: RequestPlan) => callNamed(call)?.access ?? "anyone"

function callNamed(name: string): Call | undefined {
  const [method = "", path = ""] = name.split(" ")
  return matchCall({ method, path: `/api${path.replaceAll(/\{\w+\}/g, "1")}`, body: undefined })?.call
}

function credentials(actor: Actor | undefined, access: string): Record<string, string> {
  if (actor === undefined) return {}
  return access === "key" ? { authorization: `Bearer ${actor.key}` } : { cookie: `envkeep_session=${actor.token}` }
}

/** A success, or a refusal with a sentence in the envelope; never a server error. */
function expectAnswer({ method, path }: HttpRequest, received: HttpResponse): void {
  const { status, text } = received
  const exchange = `${method} ${path.slice(0, 200)} ${status} ${text.slice(0, 300)}`
  expect(status, exchange).toBeLessThan(500)
  if (method === "HEAD" || status === 304) return
  if (status < 300 && matchCall({ method, path, body: undefined })?.call.plain) return
  const envelope = envelopeOf(received)
  expect(envelope, exchange).toBeDefined()
  expect(envelope?.error, exchange).toBe(status >= 300)
  expect(envelope?.msg, exchange).toMatch(/^[A-Z][^\n]{1,200}$/)
  if (status >= 300 && !Conflicts.safeParse(envelope?.data).success) expect(envelope?.data, exchange).toBeNull()
}

/** Who knows an e-mail can add its owner, and then sees how they spell it. Administrators see the list of accounts. */
function showsEmails({ path }: HttpRequest, actor: Actor | undefined): boolean {
  if (/^\/api\/(collections\/[^/]+\/members|teams\b)/.test(path)) return true
  return actor?.isAdmin === true && /^\/api\/admin\/users(\?|$)/.test(path)
}

function withoutEmails(actors: Actors, received: HttpResponse): HttpResponse {
  const emails = Object.values(actors).map(({ shownEmail }) => shownEmail)
  return { ...received, text: emails.reduce((text, email) => text.replaceAll(email, ""), received.text) }
}

/** Neither the body nor the headers contain a secret of another actor. */
function expectNoForeignSecret(actors: Actors, actor: Actor | undefined, { headers, text }: HttpResponse): void {
  const answer = `${JSON.stringify(headers)}\n${text}`
  for (const other of Object.values(actors)) {
    if (other === actor) continue
    for (const secret of other.secrets) expect(answer.includes(secret), `${secret} in ${answer}`).toBe(false)
  }
}

/** A successful request was a call of the contract, with input that its schema accepts, by an actor who may make it. */
function expectAllowed({ method, path, body }: HttpRequest, { status }: HttpResponse, actor: Actor | undefined): void {
  const exchange = `${method} ${path.slice(0, 200)} ${String(body).slice(0, 200)} ${status}`
  const match = matchCall({ method, path, body: body === undefined ? undefined : body.toString("utf8") })
  if (match === undefined) throw new Error(`success for a request that is not a call: ${exchange}`)
  if (match.call.method !== "GET") expect(isUtf8(Buffer.from(body ?? "")), exchange).toBe(true)
  const accepted = match.call.input.safeParse(match.input)
  expect(accepted.error?.issues, exchange).toBeUndefined()
  if (match.call.access !== "anyone") expect(actor, exchange).toBeDefined()
  if (match.call.access === "admin") expect(actor?.isAdmin, exchange).toBe(true)
}

/** The owners whose rows the actor must not change. Accounts created by requests are not among them: their password is known. */
function protectedOwners({ actors }: Fixture, sent: HttpRequest, actor: Actor | undefined): string[] {
  const others = Object.values(actors).filter((one) => one !== actor)
  const changed = actor?.isAdmin ? accountInPath(sent) : undefined
  return [
    ...others.map(({ id }) => String(id)),
    ...others.filter(({ id }) => id !== changed).map(({ id }) => accountOwner(id)),
    ...(actor?.isAdmin ? [] : ["products"]),
  ]
}

/** The account that an administrator's request is about, if it is about one. */
function accountInPath({ path }: HttpRequest): number | undefined {
  const id = /^\/api\/admin\/users\/(\d+)\//.exec(path)?.[1]
  return id === undefined ? undefined : Number(id)
}
