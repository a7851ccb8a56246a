import type { Level, TeamSummary } from "@envkeep/contract"
import type { FuzzApp } from "../fuzz-app.ts"
import { dataFor } from "../http-client.ts"
import type { PeopleModel, Person, SharedCollection, SharedEnvironment, SharedTeam } from "./people-model.ts"

/** Four people who share two collections, with roles of their own and by teams. One environment is protected. */
export async function beginWithPeople(app: FuzzApp): Promise<PeopleModel> {
  await app.empty()
  const people: Person[] = []
  for (const name of ["ann", "bob", "cat", "dan"]) {
    const { id, email } = await app.user(`${name}@example.com`)
    people.push({ id, email, token: await app.session(id) })
  }
  const [ann, bob, cat, dan] = people as [Person, Person, Person, Person]
  const first = await addCollection(app, ann)
  const second = await addCollection(app, bob)
  await addMember(app, first, { by: ann, person: bob, role: "editor" })
  await addMember(app, first, { by: ann, person: dan, role: "viewer" })
  const teams = [
    await addTeam(app, first, { by: ann, person: cat, role: "reader" }),
    await addTeam(app, second, { by: bob, person: ann, role: "editor" }),
  ]
  await protectLast(app, ann, first)
  return { people, collections: [first, second], teams, deletedTeams: [], invitations: [], written: 0 }
}

interface Shared {
  by: Person
  person: Person
  role: Level
}

async function addMember(app: FuzzApp, collection: SharedCollection, { by, person, role }: Shared): Promise<void> {
  await send(app, by, `POST /collections/${collection.id}/members`, { who: person.email, role })
  collection.members.set(person.id, role)
}

/** A team of the two, which gets the role. */
async function addTeam(app: FuzzApp, collection: SharedCollection, { by, person, role }: Shared): Promise<SharedTeam> {
  const { id } = await send<TeamSummary>(app, by, "POST /teams", { name: "team" })
  await send(app, by, `POST /teams/${id}/members`, { who: person.email })
  await send(app, by, `POST /collections/${collection.id}/teams`, { teamId: id, role })
  collection.teams.set(id, role)
  return {
    id,
    members: new Map([
      [by.id, true],
      [person.id, false],
    ]),
  }
}

async function protectLast(app: FuzzApp, by: Person, { environments }: SharedCollection): Promise<void> {
  const environment = environments.at(-1) as SharedEnvironment
  await send(app, by, `PUT /environments/${environment.id}/protection`, { isProtected: true })
  environment.isProtected = true
}

async function addCollection(app: FuzzApp, owner: Person): Promise<SharedCollection> {
  const name = `collection of ${owner.email}`
  const { id } = await app.collection(owner.token, { name })
  const environments = [
    await addEnvironment(app, owner, id, "staging"),
    await addEnvironment(app, owner, id, "production"),
  ]
  return {
    id,
    name,
    payerId: owner.id,
    request: undefined,
    members: new Map([[owner.id, "owner"]]),
    teams: new Map(),
    environments,
  }
}

async function addEnvironment(
  app: FuzzApp,
  { email, token }: Person,
  collectionId: number,
  name: string,
): Promise<SharedEnvironment> {
  const item = { name: "A", value: `first value of ${name} of ${email} end` }
  const made = await app.environment(token, collectionId, { name, item, keyName: "ci" })
  const key = String(made.key.key)
  return {
    ...{ id: made.environment.id, name, isProtected: false, revision: made.item.revision },
    item: { id: made.item.id, ...item },
    keys: new Map([[made.key.id, { name: "ci", key }]]),
    values: [item.value],
    keysEver: [key],
  }
}

const send = <Data>({ http }: FuzzApp, { token }: Person, call: string, body: unknown) =>
  dataFor<Data>(http, token, call, body)
