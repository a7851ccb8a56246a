import { randomBytes } from "node:crypto"
import type { Filling } from "./filling.ts"
import type { Size } from "./size.ts"

/** Of one part of the store. */
export interface People {
  userIds: number[]
  teamIds: number[]
}

const teamsPerUser = 4

export const emailOf = (userId: number) => `user${userId}@company.example`

/** Users with a session each, and teams. The first user is in all teams; the others are in some. */
export function addPeople(filling: Filling, { users, teams }: Size, passwordHash: string): People {
  const { writer, nextId, sometime, now } = filling
  const userIds = Array.from({ length: users }, () => nextId("user"))
  const teamIds = Array.from({ length: teams }, () => nextId("team"))
  for (const id of userIds) {
    writer.add("user", {
      id,
      username: `user ${id}`,
      email: emailOf(id),
      email_key: emailOf(id),
      password_hash: passwordHash,
      is_admin: id === 1 ? 1 : 0,
      created_at: sometime(),
      last_sign_in_at: sometime(),
    })
    writer.add("session", {
      id: nextId("session"),
      user_id: id,
      token_hash: randomBytes(32).toString("hex"),
      created_at: now,
      seen_at: now,
      address: "192.0.2.1",
      client: "Firefox on Linux",
    })
  }
  for (const id of teamIds) writer.add("team", { id, name: `team ${id}`, created_at: sometime() })
  for (const [at, userId] of userIds.entries()) {
    for (const teamId of at === 0 && teams <= 100 ? teamIds : some(filling, teamIds, teamsPerUser)) {
      writer.add("team_member", {
        id: nextId("team_member"),
        team_id: teamId,
        user_id: userId,
        is_admin: at % 10 === 0 ? 1 : 0,
        created_at: sometime(),
      })
    }
  }
  return { userIds, teamIds }
}

/** Up to so many of them, each once. */
export function some({ random }: Filling, all: readonly number[], count: number): number[] {
  return [...new Set(Array.from({ length: count }, () => random.pick(all)))]
}
