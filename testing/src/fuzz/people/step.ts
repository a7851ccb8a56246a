import type { Call, Level } from "@envkeep/contract"
import fc, { type Arbitrary, type AsyncCommand } from "fast-check"
import { expect } from "vitest"
import { callAs, type HttpClient } from "../http-client.ts"
import { type Expected, expectResponse, notFound, refused } from "../model/command.ts"
import { requestOf, schemaOf } from "../model/request.ts"
import {
  hiddenFrom,
  may,
  type Need,
  type PeopleModel,
  type Person,
  type Place,
  refusalFor,
  type SharedCollection,
  type SharedEnvironment,
  type SharedTeam,
} from "./people-model.ts"

/** What a step is about. The numbers are resolved when the call is made. */
interface Drawn {
  by: number
  /** Whether the caller is one of those who may make the call, if there are some. */
  isAllowed: boolean
  collection: number
  environment: number
  /** Another of the people, or the same one. */
  other: number
  team: number
  invitation: number
  role: Level
  /** Whether the other becomes an admin of the team. */
  isAdmin: boolean
}

const index = fc.nat(11)
const drawn: Arbitrary<Drawn> = fc.record({
  by: index,
  isAllowed: fc.boolean(),
  collection: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constant(1) }),
  environment: fc.nat(1),
  other: index,
  team: index,
  invitation: index,
  role: fc.constantFrom<Level>("viewer", "reader", "editor", "maintainer", "owner"),
  isAdmin: fc.boolean(),
})

type Input = Record<string, unknown>

/** A call by one of the people, and what the model says that it does. */
interface Plan {
  by: Person
  /** By the contract's names. What the call does not take is not sent. */
  named: Input
  expected: Expected
}

export interface Step {
  call: Call
  /** Undefined if there is nothing to call yet. */
  plan(model: PeopleModel, drawn: Drawn): Plan | undefined
}

/** For fast-check, which draws them and shrinks a failing sequence. */
export function commandsOf({ call, plan }: Step): Arbitrary<AsyncCommand<PeopleModel, HttpClient>> {
  return drawn.map((drawn) => ({
    check: () => true,
    toString: () => `${call.method} ${call.path} ${fc.stringify(drawn)}`,
    run: (model, http) => send(call, plan(model, drawn), { model, http }),
  }))
}

/** Makes the call as everyone in every environment. */
export async function tryAsEveryone({ call, plan }: Step, model: PeopleModel, http: HttpClient): Promise<void> {
  const common = { isAllowed: false, other: 0, team: 0, invitation: 0, role: "viewer", isAdmin: false } as const
  for (const by of model.people.keys()) {
    for (const [collection, { environments }] of model.collections.entries()) {
      for (const environment of environments.keys()) {
        await send(call, plan(model, { ...common, by, collection, environment }), { model, http })
      }
    }
  }
}

async function send(
  call: Call,
  plan: Plan | undefined,
  { model, http }: { model: PeopleModel; http: HttpClient },
): Promise<void> {
  if (plan === undefined) return
  const { by, named, expected } = plan
  const hidden = hiddenFrom(model, by)
  const { properties } = schemaOf(call)
  const input = Object.fromEntries(Object.entries(named).filter(([name]) => name in properties))
  const { path, body } = requestOf(call, input)
  const received = await callAs(http, by.token, `${call.method} ${path}`, body)
  expectResponse(call, expected, received)
  expect(hidden.filter((secret) => received.text.includes(secret))).toEqual([])
}

export function at<Entry>(list: readonly Entry[], index: number): Entry {
  return list[index % list.length] as Entry
}

function callerOf({ people }: PeopleModel, { by, isAllowed }: Drawn, isOneWhoMay: (person: Person) => boolean): Person {
  const allowed = isAllowed ? people.filter(isOneWhoMay) : []
  return at(allowed.length > 0 ? allowed : people, by)
}

interface ByAnyone {
  model: PeopleModel
  by: Person
}

/** A call of signed-in users that is about nothing of theirs. */
export function byAnyone(call: Call, expected: (context: ByAnyone) => Expected, named: Input = {}): Step {
  return {
    call,
    plan(model, drawn) {
      const by = at(model.people, drawn.by)
      return { by, named, expected: expected({ model, by }) }
    },
  }
}

interface InCollection extends ByAnyone {
  collection: SharedCollection
  other: Person
  team: SharedTeam
  role: Level
}

/** A call about a collection, perhaps with another person, a team or a role. */
export function inCollection(
  call: Call,
  need: Need,
  expected: (context: InCollection) => Expected,
  more: (context: InCollection) => Input = () => ({}),
): Step {
  return {
    call,
    plan(model, drawn) {
      const collection = at(model.collections, drawn.collection)
      const by = callerOf(model, drawn, (person) => may(model, person, need, { collection }))
      const other = at(model.people, drawn.other)
      const team = at([...model.teams, ...model.deletedTeams], drawn.team)
      const { role } = drawn
      const context = { model, by, collection, other, team, role }
      const { id, name } = collection
      return {
        by,
        named: { id, name, role, userId: other.id, who: other.email, teamId: team.id, ...more(context) },
        expected: refusalFor(model, by, { need, place: { collection }, what: "Collection" }) ?? expected(context),
      }
    },
  }
}

export interface InEnvironment extends ByAnyone {
  collection: SharedCollection
  environment: SharedEnvironment
  /** New each time. */
  text: string
}

/** A call about an environment, or about the `what` in it. */
export function inEnvironment(
  call: Call,
  need: Need,
  expected: (context: InEnvironment) => Expected,
  { what = "Environment", more = () => ({}) }: { what?: string; more?: (context: InEnvironment) => Input } = {},
): Step {
  return {
    call,
    plan(model, drawn) {
      const collection = at(model.collections, drawn.collection)
      const environment = at(collection.environments, drawn.environment)
      const place: Place = { collection, environment }
      const by = callerOf(model, drawn, (person) => may(model, person, need, place))
      const context = { model, by, collection, environment, text: `fuzz text ${++model.written} end` }
      const { id, name } = environment
      return {
        by,
        named: { id, name, ...more(context) },
        expected: refusalFor(model, by, { need, place, what }) ?? expected(context),
      }
    },
  }
}

interface InTeam extends ByAnyone {
  team: SharedTeam
  other: Person
  isAdmin: boolean
}

/** A call about a team, for its members or its admins. */
export function inTeam(call: Call, need: "member" | "admin", expected: (context: InTeam) => Expected): Step {
  return {
    call,
    plan(model, drawn) {
      const team = at([...model.teams, ...model.deletedTeams], drawn.team)
      const by = callerOf(model, drawn, ({ id }) => team.members.get(id) ?? false)
      const other = at(model.people, drawn.other)
      const { isAdmin } = drawn
      const named = { id: team.id, userId: other.id, who: other.email, isAdmin, maxUses: 1 }
      const callersRole = model.teams.includes(team) ? team.members.get(by.id) : undefined
      if (callersRole === undefined) return { by, named, expected: notFound("Team") }
      if (need === "admin" && !callersRole) {
        return { by, named, expected: refused(403, "Only admins of the team may do this") }
      }
      return { by, named, expected: expected({ model, by, team, other, isAdmin }) }
    },
  }
}
