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
import { unknownId } from "../model/draw.ts"
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
const payerStays = refused(
  409,
  "The owner who pays for a collection stays until another member has taken it over. Ask one to, or delete the collection",
)
const notAsked = refused(403, "No owner asks you to take this collection over")
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

interface OfOne {
  collection: SharedCollection
  by: Person
  /** Whose role changes or ends. */
  person: Person
}

/** The owner who pays goes only if another takes that over, and nobody pays without their own call. */
function unlessPayer({ collection, by, person }: OfOne, change: () => void): Expected {
  if (collection.payerId !== person.id) return done(change)
  if (by !== person && collection.members.get(by.id) === "owner") {
    return done(() => {
      change()
      setPayer(collection, by)
    })
  }
  const owners = [...collection.members.values()].filter((role) => role === "owner")
  return owners.length > 1 ? payerStays : lastOwner
}

function setPayer(collection: SharedCollection, person: Person): void {
  collection.payerId = person.id
  collection.request = undefined
}

function removeMember(collection: SharedCollection, person: Person): void {
  collection.members.delete(person.id)
  if (collection.request?.person === person) collection.request = undefined
}

const memberSteps = [
  inCollection(members.add, "manage", (context) => {
    const { collection, other, role } = context
    if (isForOwners(context, role)) return ownersOnly
    if (collection.members.has(other.id)) return alreadyMember
    return done(() => collection.members.set(other.id, role))
  }),

  inCollection(members.change, "manage", (context) => {
    const { collection, by, other, role } = context
    const current = collection.members.get(other.id)
    if (current === undefined) return notFound("Member")
    if (current === role) return done(() => undefined)
    if (isForOwners(context, current, role)) return ownersOnly
    return unlessPayer({ collection, by, person: other }, () => collection.members.set(other.id, role))
  }),

  inCollection(members.remove, "manage", (context) => {
    const { collection, by, other } = context
    const current = collection.members.get(other.id)
    if (current === undefined) return notFound("Member")
    if (isForOwners(context, current)) return ownersOnly
    return unlessPayer({ collection, by, person: other }, () => removeMember(collection, other))
  }),

  inCollection(members.leave, "names", ({ collection, by }) =>
    collection.members.has(by.id)
      ? unlessPayer({ collection, by, person: by }, () => removeMember(collection, by))
      : refused(409, "Your role comes from a team. Leave the team, or ask for the team to be removed"),
  ),

  inCollection(members.transfer, "own", ({ collection, by, other }) => {
    if (!collection.members.has(other.id)) return notFound("Member")
    if (other === by) return refused(400, "You cannot ask yourself. An owner takes a collection over without a request")
    if (collection.payerId === other.id) return refused(409, "This member pays for the collection already")
    return done(() => {
      collection.request = { person: other, askedBy: by }
    })
  }),

  inCollection(members.takeOver, "names", ({ model, collection, by }) => {
    const { request } = collection
    const isAsked = request?.person === by && roleIn(model, collection, request.askedBy) === "owner"
    if (collection.members.get(by.id) !== "owner" && !isAsked) return notAsked
    if (collection.payerId === by.id) return done(() => undefined)
    return done(() => {
      collection.members.set(by.id, "owner")
      // An owner by a team alone has no role of their own that could change.
      if (isAsked && collection.members.has(request.askedBy.id)) {
        collection.members.set(request.askedBy.id, "maintainer")
      }
      setPayer(collection, by)
    })
  }),

  inCollection(members.endTransfer, "names", ({ model, collection, by }) => {
    const isTheirs = collection.request?.person === by || may(model, by, "own", { collection })
    if (!isTheirs) return notAsked
    return done(() => {
      collection.request = undefined
    })
  }),

  inCollection(members.shareWithTeam, "manage", (context) => {
    const { model, by, collection, team, role } = context
    if (isForOwners(context, role)) return ownersOnly
    if (!model.teams.includes(team) || !team.members.has(by.id)) return notFound("Team")
    if (collection.teams.has(team.id)) return refused(409, /already/)
    return done(() => collection.teams.set(team.id, role))
  }),

  inCollection(members.changeTeam, "manage", (context) => {
    const { collection, team, role } = context
    const current = collection.teams.get(team.id)
    if (current === undefined) return notFound("Team")
    if (current !== role && isForOwners(context, current, role)) return ownersOnly
    return done(() => collection.teams.set(team.id, role))
  }),

  inCollection(members.removeTeam, "manage", (context) => {
    const { collection, team } = context
    const current = collection.teams.get(team.id)
    if (current === undefined) return notFound("Team")
    return isForOwners(context, current) ? ownersOnly : done(() => collection.teams.delete(team.id))
  }),

  ...[true, false].map((isProtected) =>
    inEnvironment(
      environments.protect,
      "manage",
      ({ environment }) =>
        done(() => {
          environment.isProtected = isProtected
        }),
      { more: () => ({ isProtected }) },
    ),
  ),
]

/** An admin goes only if another stays. */
function unlessLastAdmin({ members }: SharedTeam, person: Person, change: () => void): Expected {
  const isAnother = ([userId, isAdmin]: [number, boolean]) => isAdmin && userId !== person.id
  return members.get(person.id) && ![...members].some(isAnother) ? lastAdmin : done(change)
}

const teamSteps = [
  byAnyone(
    teams.create,
    ({ model, by }) => ({
      data(data) {
        const { id } = data as TeamSummary
        model.teams.push({ id, members: new Map([[by.id, true]]) })
        return data
      },
    }),
    { name: "team" },
  ),

  inTeam(teams.addMember, "admin", ({ team, other, isAdmin }) =>
    team.members.has(other.id) ? alreadyMember : done(() => team.members.set(other.id, isAdmin)),
  ),

  inTeam(teams.changeMember, "admin", ({ team, other, isAdmin }) => {
    if (!team.members.has(other.id)) return notFound("Member")
    const change = () => team.members.set(other.id, isAdmin)
    return isAdmin ? done(change) : unlessLastAdmin(team, other, change)
  }),

  inTeam(teams.removeMember, "admin", ({ team, other }) =>
    team.members.has(other.id) ? unlessLastAdmin(team, other, () => team.members.delete(other.id)) : notFound("Member"),
  ),

  inTeam(teams.leave, "member", ({ team, by }) => unlessLastAdmin(team, by, () => team.members.delete(by.id))),

  inTeam(teams.remove, "admin", ({ model, team }) =>
    done(() => {
      model.teams = model.teams.filter((one) => one !== team)
      model.deletedTeams.push(team)
      for (const { teams } of model.collections) teams.delete(team.id)
    }),
  ),
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

const lastInvitationTo = ({ invitations }: PeopleModel, collection: SharedCollection) =>
  invitations.findLast(({ to }) => to === collection)

const invitationSteps = [
  ...[1, 2].map((maxUses) =>
    inCollection(
      invitations.inviteToCollection,
      "manage",
      (context) => {
        const { model, by, collection, role } = context
        return isForOwners(context, role) ? ownersOnly : invited(model, { to: collection, role, by }, maxUses)
      },
      () => ({ maxUses }),
    ),
  ),

  inTeam(invitations.inviteToTeam, "admin", ({ model, by, team }) =>
    invited(model, { to: team, role: undefined, by }, 1),
  ),

  inCollection(
    invitations.revokeOfCollection,
    "manage",
    (context) => {
      const invitation = lastInvitationTo(context.model, context.collection)
      if (invitation === undefined) return notFound("Invitation")
      if (isForOwners(context, invitation.role ?? "viewer")) return ownersOnly
      return done(() => {
        invitation.isRevoked = true
      })
    },
    ({ model, collection }) => ({ invitationId: lastInvitationTo(model, collection)?.id ?? unknownId }),
  ),
]

const acceptInvitation: Step = {
  call: invitations.accept,
  plan(model, drawn) {
    if (model.invitations.length === 0) return undefined
    const invitation = at(model.invitations, drawn.invitation)
    const by = at(model.people, drawn.by)
    return { by, named: { secret: invitation.secret }, expected: acceptance(model, invitation, by) }
  },
}

export const membershipSteps: Step[] = [
  ...memberSteps,
  ...teamSteps,
  ...invitationSteps,
  // As often as they are made.
  ...invitationSteps.map(() => acceptInvitation),
]
