import {
  environments,
  invitations,
  type Level,
  members,
  type NewInvitation,
  type TeamSummary,
  teams,
} from "@envkeep/contract"
import { type Expected, notFound, refused } from "../model/command.ts"
import {
  isAtLeast,
  type ModelInvitation,
  may,
  type PeopleModel,
  type Person,
  roleIn,
  type SharedCollection,
  type SharedTeam,
} from "./people-model.ts"
import { at, byAnyone, inCollection, inEnvironment, inTeam, type Step } from "./step.ts"

// The calls that change who reaches what.

const ownersOnly = refused(403, "Only owners can give, change or take away the role of an owner")
const lastOwner = refused(409, "A collection must have an owner. Make another member an owner first")
const lastAdmin = refused(409, "A team must have an admin. Make another member an admin first")
const alreadyMember = refused(409, "This user is already a member")

/** Succeeds and changes the model. What the answer contains is compared by the calls that list it. */
const done = (change: () => void): Expected => ({
  data(data) {
    change()
    return data
  },
})

/** Maintainers deal with everyone but owners. */
function isForOwners(
  { model, by, collection }: { model: PeopleModel; by: Person; collection: SharedCollection },
  ...roles: Level[]
): boolean {
  return roles.includes("owner") && !may(model, by, "own", { collection })
}

/** An owner goes only if another stays, who pays if this one did. */
function unlessLastOwner(collection: SharedCollection, person: Person, change: () => void): Expected {
  const owners = [...collection.members].flatMap(([userId, role]) => (role === "owner" ? [userId] : []))
  if (!owners.includes(person.id)) return done(change)
  const next = owners.find((userId) => userId !== person.id)
  if (next === undefined) return lastOwner
  return done(() => {
    change()
    if (collection.payerId === person.id) collection.payerId = next
  })
}

const memberSteps = [
  inCollection(members.add, "manage", (context) => {
    const { collection, other, role } = context
    const expected = () => {
      if (isForOwners(context, role)) return ownersOnly
      if (collection.members.has(other.id)) return alreadyMember
      return done(() => collection.members.set(other.id, role))
    }
    return { body: { who: other.email, role }, expected: expected() }
  }),

  inCollection(members.change, "manage", (context) => {
    const { collection, other, role } = context
    const expected = () => {
      const current = collection.members.get(other.id)
      if (current === undefined) return notFound("Member")
      if (current === role) return done(() => undefined)
      if (isForOwners(context, current, role)) return ownersOnly
      return unlessLastOwner(collection, other, () => collection.members.set(other.id, role))
    }
    return { body: { role }, expected: expected() }
  }),

  inCollection(members.remove, "manage", (context) => {
    const { collection, other } = context
    const expected = () => {
      const current = collection.members.get(other.id)
      if (current === undefined) return notFound("Member")
      if (isForOwners(context, current)) return ownersOnly
      return unlessLastOwner(collection, other, () => collection.members.delete(other.id))
    }
    return { expected: expected() }
  }),

  inCollection(members.leave, "names", ({ collection, by }) => ({
    expected: collection.members.has(by.id)
      ? unlessLastOwner(collection, by, () => collection.members.delete(by.id))
      : refused(409, "Your role comes from a team. Leave the team, or ask for the team to be removed"),
  })),

  inCollection(members.transfer, "own", ({ collection, by, other }) => ({
    body: { userId: other.id },
    expected: collection.members.has(other.id)
      ? done(() => {
          collection.members.set(other.id, "owner")
          collection.payerId = other.id
          // An owner by a team alone has no role of their own that could change.
          if (by !== other && collection.members.has(by.id)) collection.members.set(by.id, "maintainer")
        })
      : notFound("Member"),
  })),

  inCollection(members.shareWithTeam, "manage", (context) => {
    const { model, by, collection, team, role } = context
    const expected = () => {
      if (isForOwners(context, role)) return ownersOnly
      if (!model.teams.includes(team) || !team.members.has(by.id)) return notFound("Team")
      if (collection.teams.has(team.id)) return refused(409, /already/)
      return done(() => collection.teams.set(team.id, role))
    }
    return { body: { teamId: team.id, role }, expected: expected() }
  }),

  inCollection(members.changeTeam, "manage", (context) => {
    const { collection, team, role } = context
    const expected = () => {
      const current = collection.teams.get(team.id)
      if (current === undefined) return notFound("Team")
      if (current !== role && isForOwners(context, current, role)) return ownersOnly
      return done(() => collection.teams.set(team.id, role))
    }
    return { body: { role }, expected: expected() }
  }),

  inCollection(members.removeTeam, "manage", (context) => {
    const { collection, team } = context
    const expected = () => {
      const current = collection.teams.get(team.id)
      if (current === undefined) return notFound("Team")
      return isForOwners(context, current) ? ownersOnly : done(() => collection.teams.delete(team.id))
    }
    return { expected: expected() }
  }),

  ...[true, false].map((isProtected) =>
    inEnvironment(environments.protect, "manage", ({ environment }) => ({
      body: { isProtected },
      expected: done(() => {
        environment.isProtected = isProtected
      }),
    })),
  ),
]

/** An admin goes only if another stays. */
function unlessLastAdmin({ members }: SharedTeam, person: Person, change: () => void): Expected {
  const isAnother = ([userId, isAdmin]: [number, boolean]) => isAdmin && userId !== person.id
  return members.get(person.id) && ![...members].some(isAnother) ? lastAdmin : done(change)
}

const teamSteps = [
  byAnyone(teams.create, ({ model, by }) => ({
    body: { name: "team" },
    expected: {
      data(data) {
        const { id } = data as TeamSummary
        model.teams.push({ id, members: new Map([[by.id, true]]) })
        return data
      },
    },
  })),

  inTeam(teams.addMember, "admin", ({ team, other, isAdmin }) => ({
    body: { who: other.email, isAdmin },
    expected: team.members.has(other.id) ? alreadyMember : done(() => team.members.set(other.id, isAdmin)),
  })),

  inTeam(teams.changeMember, "admin", ({ team, other, isAdmin }) => {
    const expected = () => {
      if (!team.members.has(other.id)) return notFound("Member")
      const change = () => team.members.set(other.id, isAdmin)
      return isAdmin ? done(change) : unlessLastAdmin(team, other, change)
    }
    return { body: { isAdmin }, expected: expected() }
  }),

  inTeam(teams.removeMember, "admin", ({ team, other }) => ({
    expected: team.members.has(other.id)
      ? unlessLastAdmin(team, other, () => team.members.delete(other.id))
      : notFound("Member"),
  })),

  inTeam(teams.leave, "member", ({ team, by }) => ({
    expected: unlessLastAdmin(team, by, () => team.members.delete(by.id)),
  })),

  inTeam(teams.remove, "admin", ({ model, team }) => ({
    expected: done(() => {
      model.teams = model.teams.filter((one) => one !== team)
      model.deletedTeams.push(team)
      for (const { teams } of model.collections) teams.delete(team.id)
    }),
  })),
]

/** The answer has the secret that the model needs to accept it. */
const invited = (model: PeopleModel, made: Pick<ModelInvitation, "to" | "role" | "by">, maxUses: number): Expected => ({
  data(data) {
    const { id, secret } = data as NewInvitation
    model.invitations.push({ ...made, id, secret, usesLeft: maxUses, isRevoked: false })
    return data
  },
})

/** An invitation is as good as revoked while the one who made it could not make it. */
function isOpenFor(model: PeopleModel, { to, role, by, isRevoked }: ModelInvitation): boolean {
  if (isRevoked) return false
  if ("environments" in to) return may(model, by, role === "owner" ? "own" : "manage", { collection: to })
  return to.members.get(by.id) ?? false
}

function acceptance(model: PeopleModel, invitation: ModelInvitation, by: Person): Expected {
  const { to, role } = invitation
  const isCollection = "environments" in to
  if (!isCollection && !model.teams.includes(to)) return refused(404, "This invitation is not valid")
  if (!isOpenFor(model, invitation)) return refused(410, "This invitation has been revoked")
  if (invitation.usesLeft === 0) return refused(410, "This invitation has been used already")
  return {
    data() {
      const current = isCollection ? roleIn(model, to, by) : undefined
      const isUsed = isCollection ? !(current && role && isAtLeast(current, role)) : !to.members.has(by.id)
      if (isUsed) {
        invitation.usesLeft--
        if (!isCollection) to.members.set(by.id, false)
        else if (role !== undefined) to.members.set(by.id, role)
      }
      return { collectionId: isCollection ? to.id : null, teamId: isCollection ? null : to.id }
    },
  }
}

const invitationSteps = [
  ...[1, 2].map((maxUses) =>
    inCollection(invitations.inviteToCollection, "manage", (context) => {
      const { model, by, collection, role } = context
      const expected = isForOwners(context, role) ? ownersOnly : invited(model, { to: collection, role, by }, maxUses)
      return { body: { role, maxUses }, expected }
    }),
  ),

  inTeam(invitations.inviteToTeam, "admin", ({ model, by, team }) => ({
    body: { maxUses: 1 },
    expected: invited(model, { to: team, role: undefined, by }, 1),
  })),

  inCollection(invitations.revokeOfCollection, "manage", (context) => {
    const { model, collection } = context
    const invitation = model.invitations.findLast(({ to }) => to === collection)
    const expected = () => {
      if (invitation === undefined) return notFound("Invitation")
      if (isForOwners(context, invitation.role ?? "viewer")) return ownersOnly
      return done(() => {
        invitation.isRevoked = true
      })
    }
    return { ids: { invitationId: invitation?.id ?? 987_654_321 }, expected: expected() }
  }),
]

const acceptInvitation: Step = {
  call: invitations.accept,
  plan(model, drawn) {
    if (model.invitations.length === 0) return undefined
    const invitation = at(model.invitations, drawn.invitation)
    const by = at(model.people, drawn.by)
    return { by, body: { secret: invitation.secret }, expected: acceptance(model, invitation, by) }
  },
}

export const membershipSteps: Step[] = [
  ...memberSteps,
  ...teamSteps,
  ...invitationSteps,
  // As often as they are made.
  ...invitationSteps.map(() => acceptInvitation),
]
