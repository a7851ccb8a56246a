import { randomUUID } from "node:crypto"
import { type Level, userCodeLetters } from "@envkeep/contract"
import type { Person } from "@envkeep/testing/person.ts"
import type { RunningApp } from "@envkeep/testing/running-app.ts"
import { hashToken, newUserCode } from "../../src/keys/token.ts"
import type { Ids } from "./samples.ts"

// What the calls are about: the things of an owner, and the people around them.

interface Membership {
  collectionId: number
  member: Person
  role: Level
  by: "directly" | "by a team"
}

export async function addMember(app: RunningApp, { collectionId, member, role, by }: Membership): Promise<void> {
  const userId = await userIdOf(app, member)
  if (by === "directly") {
    await insertMember(app, { collectionId, userId, role })
    return
  }
  const teamId = await insertTeam(app)
  await addToTeam(app, teamId, userId)
  await insertCollectionTeam(app, { collectionId, teamId, role })
}

export async function userIdOf({ db }: RunningApp, { email }: Person): Promise<number> {
  const { id } = await db.selectFrom("user").select("id").where("email", "=", email).executeTakeFirstOrThrow()
  return id
}

// Inserted directly: the calls that do this are tested elsewhere, and the slow hash of a password is not needed.

async function insertMember(
  { db }: RunningApp,
  { collectionId, userId, role }: { collectionId: number; userId: number; role: Level },
): Promise<void> {
  await db
    .insertInto("collection_member")
    .values({ collection_id: collectionId, user_id: userId, role, created_at: Date.now() })
    .execute()
}

export const [oldValue, currentValue] = ["an old and distinct value", "a current and distinct value"]
const otherValue = "another and distinct value"

async function insertTeam({ db }: RunningApp): Promise<number> {
  const row = { name: "team", created_at: Date.now() }
  return (await db.insertInto("team").values(row).returning("id").executeTakeFirstOrThrow()).id
}

async function insertCollectionTeam(
  { db }: RunningApp,
  { collectionId, teamId, role }: { collectionId: number; teamId: number; role: Level },
): Promise<void> {
  await db
    .insertInto("collection_team")
    .values({ collection_id: collectionId, team_id: teamId, role, created_at: Date.now() })
    .execute()
}

export async function addToTeam({ db }: RunningApp, teamId: number, userId: number): Promise<void> {
  await db
    .insertInto("team_member")
    .values({ team_id: teamId, user_id: userId, is_admin: 1, created_at: Date.now() })
    .execute()
}

async function insertUser({ db }: RunningApp): Promise<{ id: number; email: string }> {
  const email = `${randomUUID()}@example.com`
  const row = { username: "colleague", email, email_key: email, password_hash: "", is_admin: 0, created_at: Date.now() }
  const { id } = await db.insertInto("user").values(row).returning("id").executeTakeFirstOrThrow()
  return { id, email }
}

async function insertInvitation(
  { db }: RunningApp,
  ownerId: number,
  row: { secret: string; collection_id?: number; team_id?: number; role?: Level },
): Promise<number> {
  const { secret, ...to } = row
  const inserted = await db
    .insertInto("invitation")
    .values({
      secret_hash: hashToken(secret),
      invited_by_id: ownerId,
      created_at: Date.now(),
      expires_at: Date.now() + 60_000,
      max_uses: 1,
      uses: 0,
      ...to,
    })
    .returning("id")
    .executeTakeFirstOrThrow()
  return inserted.id
}

/** With a delivery that was given up. What it sends to is damaged, so nothing is sent. */
async function insertWebhook({ db }: RunningApp, collectionId: number): Promise<Pick<Ids, "webhookId" | "deliveryId">> {
  const webhook = await db
    .insertInto("webhook")
    .values({
      collection_id: collectionId,
      host: "hooks.example.com",
      sealed_url: new Uint8Array(),
      sealed_secret: new Uint8Array(),
      description: "",
      kinds: null,
      is_limited: 0,
      is_enabled: 1,
      created_at: Date.now(),
    })
    .returning("id")
    .executeTakeFirstOrThrow()
  const delivery = await db
    .insertInto("webhook_delivery")
    .values({
      webhook_id: webhook.id,
      message_id: randomUUID(),
      audit_event_id: null,
      revision: null,
      created_at: Date.now(),
      finished_at: Date.now(),
    })
    .returning("id")
    .executeTakeFirstOrThrow()
  return { webhookId: webhook.id, deliveryId: delivery.id }
}

type People = Pick<
  Ids,
  | "memberId"
  | "newcomer"
  | "teamId"
  | "addedTeamId"
  | "invitationId"
  | "teamInvitationId"
  | "serverInvitationId"
  | "secret"
>

/** Of the collection: a second owner, a viewer, and a team. */
async function createPeople(app: RunningApp, owner: Person, collectionId: number): Promise<People> {
  const [member, coOwner, newcomer] = [await insertUser(app), await insertUser(app), await insertUser(app)]
  const ownerId = await userIdOf(app, owner)
  await insertMember(app, { collectionId, userId: member.id, role: "viewer" })
  await insertMember(app, { collectionId, userId: coOwner.id, role: "owner" })
  const [teamId, addedTeamId] = [await insertTeam(app), await insertTeam(app)]
  for (const id of [teamId, addedTeamId]) for (const user of [ownerId, member.id]) await addToTeam(app, id, user)
  await insertCollectionTeam(app, { collectionId, teamId: addedTeamId, role: "viewer" })
  const secret = randomUUID()
  return {
    memberId: member.id,
    newcomer: newcomer.email,
    teamId,
    addedTeamId,
    invitationId: await insertInvitation(app, ownerId, { secret, collection_id: collectionId, role: "viewer" }),
    teamInvitationId: await insertInvitation(app, ownerId, { secret: randomUUID(), team_id: teamId }),
    serverInvitationId: await insertInvitation(app, ownerId, { secret: randomUUID() }),
    secret,
  }
}

export async function createThings(app: RunningApp, owner: Person): Promise<Ids> {
  const environment = await owner.environment()
  const old = await owner.item(environment, "OLD", oldValue)
  await owner.delete(`/collectionItem/${old.id}`)
  const item = await owner.item(environment, "A", currentValue)
  const apiKey = await owner.apiKey(environment)
  const { collectionId } = environment
  await owner.put(`/collections/${collectionId}/names`, { name: "OLD", description: "no longer used" })
  const other = await owner.environment("other", collectionId)
  await owner.item(other, "A", otherValue)
  const trashed = await owner.environment("deleted", collectionId)
  const trashedCollection = await owner.collection("deleted")
  await owner.delete(`/subcollection/${trashed.id}`)
  await owner.delete(`/collection/${trashedCollection.id}`)
  const { body: user } = await owner.get<{ id: number }>("/users/me")
  const { body: sessions } = await owner.get<{ id: number }[]>("/users/me/sessions")
  const { body: token } = await owner.post<{ id: number }>("/users/me/tokens", { name: randomUUID(), scope: "read" })
  return {
    ownerId: user.data.id,
    sessionId: Number(sessions.data[0]?.id),
    tokenId: token.data.id,
    passkeyId: await insertPasskey(app, user.data.id),
    identityId: await insertIdentity(app, user.data.id),
    trashedCollectionId: trashedCollection.id,
    trashedEnvironmentId: trashed.id,
    collectionId,
    environmentId: environment.id,
    otherEnvironmentId: other.id,
    itemId: item.id,
    apiKeyId: apiKey.id,
    ...(await insertWebhook(app, collectionId)),
    userCode: await insertLogin(app),
    ...(await createPeople(app, owner, collectionId)),
  }
}

/** Its secret does not exist: it signs no one in. */
async function insertPasskey({ db }: RunningApp, userId: number): Promise<number> {
  const passkey = {
    user_id: userId,
    name: "laptop",
    credential_id: randomUUID(),
    public_key: "",
    user_handle: "",
    host: "localhost",
    counter: 0,
    transports: "",
    is_multi_device: 0,
    is_backed_up: 0,
    aaguid: "",
    created_at: Date.now(),
    last_used_at: null,
  }
  return (await db.insertInto("passkey").values(passkey).returning("id").executeTakeFirstOrThrow()).id
}

async function insertLogin({ db }: RunningApp): Promise<string> {
  const userCode = newUserCode(userCodeLetters)
  await db
    .insertInto("cli_login")
    .values({
      device_hash: randomUUID(),
      user_code_hash: hashToken(userCode),
      machine: "laptop",
      address: "",
      state: "pending",
      user_id: null,
      scope: null,
      days: null,
      created_at: Date.now(),
      expires_at: Date.now() + 60_000,
    })
    .execute()
  return userCode
}

async function insertIdentity({ db }: RunningApp, userId: number): Promise<number> {
  const { id } = await db
    .insertInto("identity")
    .values({
      user_id: userId,
      issuer: "https://accounts.example.com",
      subject: randomUUID(),
      email: "",
      created_at: Date.now(),
      last_used_at: null,
    })
    .returning("id")
    .executeTakeFirstOrThrow()
  return id
}
