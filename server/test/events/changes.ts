import type { ApiKey, Environment, Item, NewInvitation, Team, Token, User } from "@envkeep/contract"
import { password } from "@envkeep/testing/app.ts"
import type { Person } from "@envkeep/testing/person.ts"
import { expect } from "vitest"

/** A call that changes something, and the event that it records. */
export type Change = [call: () => Promise<unknown>, action: string, subject: object]

interface Things {
  environment: Environment
  base: Environment
  item: Item
  key: ApiKey
}

/** Of a collection and one of its environments. The names in it depend on the changes before. */
export function environmentChanges(ann: Person, { environment, base, item, key }: Things): Change[] {
  const about = { collectionId: environment.collectionId, environmentId: environment.id }
  const items = { ...about, environmentName: "other" }
  return [
    [
      () => ann.put(`/collection/${environment.collectionId}`, { name: "other" }),
      "collection.update",
      { collectionId: environment.collectionId },
    ],
    [() => ann.put(`/subcollection/${environment.id}`, { name: "other" }), "environment.rename", about],
    [() => ann.put(`/environments/${environment.id}/protection`, { isProtected: true }), "environment.protect", about],
    [
      () => ann.put(`/collectionItem/${item.id}`, { name: "NEW", value: "b value" }),
      "item.edit",
      { ...items, names: ["NEW"] },
    ],
    [
      () => ann.post(`/subcollection/${environment.id}/bulk`, [{ name: "B", value: "c value" }]),
      "items.save",
      { ...items, names: ["B", "NEW"] },
    ],
    [
      () => ann.put(`/environments/${environment.id}/items`, [{ name: "C", value: "a value" }]),
      "items.save",
      { ...items, names: ["C"] },
    ],
    [
      () => ann.post(`/environments/${environment.id}/restore`, { revision: 5 }),
      "environment.restore",
      { ...items, names: ["C"] },
    ],
    [
      () => ann.post(`/environments/${environment.id}/restore-item`, { name: "NAME", revision: 3 }),
      "item.restore",
      { ...items, names: ["NAME"] },
    ],
    [
      () => ann.post(`/environments/${environment.id}/erase`, { name: "NAME", revision: 2 }),
      "version.erase",
      { ...about, names: ["NAME"] },
    ],
    [
      // What came back stands where it stood: first.
      async () => ann.delete(`/collectionItem/${(await ann.itemsOf(environment))[0]?.id}`),
      "item.delete",
      { ...items, names: ["NAME"] },
    ],
    [
      () => ann.post(`/environments/${environment.id}/copy?from=${base.id}`, ["FROM"]),
      "item.copy",
      { ...items, names: ["FROM"], source: { id: base.id, name: "base" } },
    ],
    [() => ann.put(`/environments/${environment.id}/base`, { baseId: base.id }), "environment.rebase", about],
    [() => ann.put(`/api-key/${key.id}`, { note: "changed" }), "api-key.update", { ...about, apiKeyId: key.id }],
    [
      () => ann.put(`/api-key/${key.id}/disabled`, { isDisabled: true }),
      "api-key.disable",
      { ...about, apiKeyId: key.id },
    ],
    [
      () => ann.put(`/api-key/${key.id}/disabled`, { isDisabled: false }),
      "api-key.enable",
      { ...about, apiKeyId: key.id },
    ],
    [
      () => ann.post(`/api-key/${key.id}/roll`, { overlapMinutes: 60 }),
      "api-key.roll",
      { ...about, apiKeyId: expect.any(Number) },
    ],
    [
      () => ann.delete(`/api-key/${key.id}`),
      "api-key.delete",
      { environmentId: environment.id, apiKeyId: key.id, apiKeyName: "ci (replaced)" },
    ],
  ]
}

export function descriptionChanges(ann: Person, collectionId: number): Change[] {
  const names = `/collections/${collectionId}/names`
  const about = { collectionId, names: ["NAME"] }
  return [
    [() => ann.put(names, { name: "NAME", example: "a value" }), "name.describe", about],
    [() => ann.post(names, [{ name: "NAME", description: "b value" }]), "name.describe", about],
    [() => ann.delete(`${names}?name=NAME`), "name.undescribe", about],
  ]
}

export function accountChanges(ann: Person, userId: number): Change[] {
  const change = (name: string) => () => ann.post(`/admin/users/${userId}/${name}`)
  return [
    [change("grant-admin"), "admin.grant", { userId }],
    [change("revoke-admin"), "admin.revoke", { userId }],
    [change("reset-link"), "account.reset-link", { userId }],
    [change("end-sessions"), "account.end-sessions", { userId }],
    [change("disable"), "account.disable", { userId }],
    [change("enable"), "account.enable", { userId }],
  ]
}

/** Ids and secrets are learned from the answers. */
export async function sharingChanges(
  { ann, bob }: { ann: Person; bob: Person },
  collectionId: number,
): Promise<Change[]> {
  const idOf = async (person: Person) => (await person.get<User>("/users/me")).body.data.id
  const [annId, userId] = [await idOf(ann), await idOf(bob)]
  const who = bob.email
  const shared = `/collections/${collectionId}`
  const about = { collectionId, userId }
  const team = { id: expect.any(Number), name: "team" }
  let teamPath = ""
  let invitation = { id: 0, secret: "" }
  const invite = async (path: string, body: object = {}) => {
    const answer = await ann.post<NewInvitation>(`${path}/invitations`, body)
    invitation = answer.body.data
    return answer
  }
  const createTeam = async () => {
    const answer = await ann.post<Team>("/teams", { name: "team" })
    teamPath = `/teams/${answer.body.data.id}`
    return answer
  }
  const inTeams = () => `${shared}${teamPath}`
  const teamId = () => Number(teamPath.split("/")[2])
  const accept = () => bob.post("/invitations/accept", { secret: invitation.secret })
  return [
    [() => ann.post(`${shared}/members`, { who, role: "viewer" }), "member.add", { ...about, role: "viewer" }],
    [() => ann.put(`${shared}/members/${userId}`, { role: "owner" }), "member.change", { ...about, role: "owner" }],
    [() => ann.post(`${shared}/transfer`, { userId }), "collection.request-transfer", about],
    [() => bob.delete(`${shared}/transfer`), "collection.end-transfer", about],
    [() => bob.post(`${shared}/take-over`), "collection.take-over", about],
    [() => ann.post(`${shared}/take-over`), "collection.take-over", { collectionId, userId: annId }],
    [() => ann.delete(`${shared}/members/${userId}`), "member.remove", about],
    [() => invite(shared, { role: "editor" }), "invitation.create", { collectionId, role: "editor" }],
    [accept, "invitation.accept", { ...about, role: "editor" }],
    [() => ann.delete(`${shared}/invitations/${invitation.id}`), "invitation.revoke", { collectionId }],
    [() => bob.post(`${shared}/leave`), "member.leave", about],
    [createTeam, "team.create", { team }],
    [() => ann.put(teamPath, { name: "renamed" }), "team.rename", { team: { ...team, name: "renamed" } }],
    [() => ann.put(teamPath, { name: "team" }), "team.rename", { team }],
    [() => ann.post(`${teamPath}/members`, { who }), "team.add-member", { team, userId }],
    [() => ann.put(`${teamPath}/members/${userId}`, { isAdmin: true }), "team.change-member", { team, userId }],
    [() => ann.delete(`${teamPath}/members/${userId}`), "team.remove-member", { team, userId }],
    [() => invite(teamPath), "invitation.create", { team }],
    [accept, "invitation.accept", { team, userId }],
    [() => ann.delete(`${teamPath}/invitations/${invitation.id}`), "invitation.revoke", { team }],
    [() => bob.post(`${teamPath}/leave`), "team.leave", { team, userId }],
    [
      () => ann.post(`${shared}/teams`, { teamId: teamId(), role: "viewer" }),
      "member.add-team",
      { collectionId, team, role: "viewer" },
    ],
    [() => ann.put(inTeams(), { role: "owner" }), "member.change-team", { collectionId, team, role: "owner" }],
    [() => ann.delete(inTeams()), "member.remove-team", { collectionId, team }],
    [() => ann.delete(teamPath), "team.delete", { team }],
    [() => invite("/admin"), "invitation.create", {}],
    [() => ann.delete(`/admin/invitations/${invitation.id}`), "invitation.revoke", {}],
  ]
}

/** Both are called "other" by now. */
export function trashChanges(ann: Person, { id, collectionId }: Environment): Change[] {
  const name = "other"
  const about = { collectionId, environmentId: id, environmentName: name }
  const whole = { collectionId, collectionName: name }
  return [
    [() => ann.delete(`/subcollection/${id}`), "environment.delete", about],
    [() => ann.post(`/trash/environments/${id}/restore`), "environment.recover", about],
    [() => ann.delete(`/subcollection/${id}`), "environment.delete", about],
    [() => ann.purge("environments", { id, name }), "environment.purge", about],
    [() => ann.post(`/collections/${collectionId}/trash/empty`, { name }), "trash.empty", { collectionId }],
    [() => ann.delete(`/collection/${collectionId}`), "collection.delete", whole],
    [() => ann.post(`/trash/collections/${collectionId}/restore`), "collection.recover", whole],
    [() => ann.delete(`/collection/${collectionId}`), "collection.delete", whole],
    [() => ann.purge("collections", { id: collectionId, name }), "collection.purge", whole],
    [() => ann.post("/trash/empty", { name: "someone" }), "trash.empty", { userId: expect.any(Number) }],
  ]
}

/** By users themselves. The last one logs out. */
export function ownAccountChanges(ann: Person, userId: number): Change[] {
  return [
    [
      () => ann.put("/users", { username: "ann", email: ann.email }),
      "account.update",
      { userId: expect.any(Number), username: "ann" },
    ],
    [
      () =>
        ann.put("/users/password", {
          oldPassword: password,
          password: "another password",
          password2: "another password",
        }),
      "account.password",
      { userId: expect.any(Number) },
    ],
    [
      () => ann.post("/users/me/tokens", { name: "laptop", scope: "read" }),
      "token.create",
      { userId, tokenName: "laptop" },
    ],
    [
      async () => ann.delete(`/users/me/tokens/${(await ann.get<Token[]>("/users/me/tokens")).body.data[0]?.id}`),
      "token.revoke",
      { userId, tokenName: "laptop" },
    ],
    [() => ann.post("/users/me/sessions/end-others"), "session.end-others", { userId }],
    [() => ann.post("/users/logout"), "session.end", {}],
  ]
}
