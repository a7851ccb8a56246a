import type { Call, Level } from "@envkeep/contract"
import fc, { type Arbitrary, type AsyncCommand } from "fast-check"
import { expect } from "vitest"
import type { HttpClient } from "../http-client.ts"
import { type Expected, expectResponse, notFound, refused } from "../model/command.ts"
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
export interface Drawn {
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

/** A call by one of the people, and what the model says that it does. */
interface Plan {
  by: Person
  ids?: Record<string, number>
  query?: string
  body?: unknown
  expected: Expected
}

export interface Step {
  call: Call
  /** Undefined if there is nothing to call yet. */
  plan(model: PeopleModel, drawn: Drawn): Plan | undefined
}

/** For fast-check, which draws them and shrinks a failing sequence. */
export const commandsOf = ({ call, plan }: Step): Arbitrary<AsyncCommand<PeopleModel, HttpClient>> =>
  drawn.map((drawn) => ({
    check: () => true,
    toString: () => `${call.method} ${call.path} ${fc.stringify(drawn)}`,
    run: (model, http) => send(call, plan(model, drawn), { model, http }),
  }))

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
  const { by, ids, query = "", body, expected } = plan
  const hidden = hiddenFrom(model, by)
  const path = call.path.replaceAll(/\{(\w+)\}/g, (_, field) => String(ids?.[field]))
  const received = await http.send({
    method: call.method,
    path: `/api${path}${query}`,
    headers: {
      cookie: `envkeep_session=${by.token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
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

/** A call of signed-in users that names nothing. */
export function byAnyone(call: Call, outcome: (context: { model: PeopleModel; by: Person }) => Outcome): Step {
  return {
    call,
    plan(model, drawn) {
      const by = at(model.people, drawn.by)
      return { ...outcome({ model, by }), by }
    },
  }
}

interface InCollection {
  model: PeopleModel
  by: Person
  collection: SharedCollection
  other: Person
  team: SharedTeam
  role: Level
}

type Outcome = Pick<Plan, "query" | "body" | "expected"> & { ids?: Record<string, number> }

/** A call about a collection, perhaps with another person, a team or a role. */
export function inCollection(call: Call, need: Need, outcome: (context: InCollection) => Outcome): Step {
  return { call, plan }

  function plan(model: PeopleModel, drawn: Drawn): Plan {
    const collection = at(model.collections, drawn.collection)
    const by = callerOf(model, drawn, (person) => may(model, person, need, { collection }))
    const other = at(model.people, drawn.other)
    const team = at([...model.teams, ...model.deletedTeams], drawn.team)
    const planned = outcome({ model, by, collection, other, team, role: drawn.role })
    const refusal = refusalFor(model, by, { need, place: { collection }, what: "Collection" })
    return {
      ...planned,
      by,
      ids: { id: collection.id, userId: other.id, teamId: team.id, ...planned.ids },
      expected: refusal ?? planned.expected,
    }
  }
}

interface InEnvironment {
  model: PeopleModel
  by: Person
  collection: SharedCollection
  environment: SharedEnvironment
  /** New each time. */
  text: string
}

/** A call about an environment, or about the `what` in it. */
export function inEnvironment(
  call: Call,
  need: Need,
  outcome: (context: InEnvironment) => Outcome,
  what = "Environment",
): Step {
  return { call, plan }

  function plan(model: PeopleModel, drawn: Drawn): Plan {
    const collection = at(model.collections, drawn.collection)
    const environment = at(collection.environments, drawn.environment)
    const place: Place = { collection, environment }
    const by = callerOf(model, drawn, (person) => may(model, person, need, place))
    const planned = outcome({ model, by, collection, environment, text: `fuzz text ${++model.written} end` })
    return {
      ...planned,
      by,
      ids: { id: environment.id, ...planned.ids },
      expected: refusalFor(model, by, { need, place, what }) ?? planned.expected,
    }
  }
}

interface InTeam {
  model: PeopleModel
  by: Person
  team: SharedTeam
  other: Person
  isAdmin: boolean
}

/** A call about a team, for its members or its admins. */
export function inTeam(call: Call, need: "member" | "admin", outcome: (context: InTeam) => Outcome): Step {
  return { call, plan }

  function plan(model: PeopleModel, drawn: Drawn): Plan {
    const team = at([...model.teams, ...model.deletedTeams], drawn.team)
    const by = callerOf(model, drawn, ({ id }) => team.members.get(id) ?? false)
    const other = at(model.people, drawn.other)
    const planned = outcome({ model, by, team, other, isAdmin: drawn.isAdmin })
    return { ...planned, by, ids: { id: team.id, userId: other.id, ...planned.ids }, expected: expected() }

    function expected(): Expected {
      const isAdmin = model.teams.includes(team) ? team.members.get(by.id) : undefined
      if (isAdmin === undefined) return notFound("Team")
      return need === "admin" && !isAdmin ? refused(403, "Only admins of the team may do this") : planned.expected
    }
  }
}
