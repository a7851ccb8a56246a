import { type Call, invitations, members, sentences, teams } from "@envkeep/contract"
import fc from "fast-check"
import {
  type CallCommands,
  type CallContext,
  commandsFor,
  type Expected,
  notFound,
  refused,
  unless,
} from "../model/command.ts"
import * as draw from "../model/draw.ts"
import type { CallInput } from "../model/request.ts"
import { nameFaults, tokenFaults } from "../model/text-rules.ts"
import { membersView } from "../model/views.ts"

// The accounts of a model share nothing: what they name here exists for none of them. The kind `people` is about sharing.

const missingCollection = notFound("Collection")
const unknownId = 987_654_321
const body = { role: "viewer", isAdmin: true, name: "team" }
const terms = { maxUses: 2, days: 3 }

/** A call about a collection; `expected` says what its owner gets. */
function inCollection(
  call: Call,
  input: Omit<CallInput, "id">,
  expected: (context: CallContext) => Expected,
): CallCommands {
  return commandsFor(call, {
    weight: 1,
    draw: fc.record({ at: draw.picked }),
    request: ({ model, account }, { at }) => ({ ...input, id: draw.resolve(model, account, "collection", at) }),
    applies: mayLookUp,
    expected(context, _, { id = 0 }) {
      return context.account?.collections.has(id) ? expected(context) : missingCollection
    },
  })
}

/** So that the commands stay below the limit on looking for accounts. */
const maxLookUps = 50
const lookUpsOf = ({ account }: CallContext) => `look-ups of ${account?.id}`

function mayLookUp(context: CallContext): boolean {
  return (context.model.guesses.get(lookUpsOf(context)) ?? 0) < maxLookUps
}

function unknownPerson(context: CallContext): Expected {
  const { guesses } = context.model
  guesses.set(lookUpsOf(context), (guesses.get(lookUpsOf(context)) ?? 0) + 1)
  return refused(400, sentences.userUnknown)
}

const missing = (call: Call, what: string, field: string, sent: object = {}) =>
  inCollection(
    call,
    { ids: { [field]: unknownId }, ...(call.method === "PUT" || call.method === "POST" ? { body: sent } : {}) },
    () => notFound(what),
  )

export const membersCommands = {
  list: inCollection(members.list, {}, ({ account }) => ({
    data: () => (account === undefined ? undefined : membersView(account)),
  })),
  add: inCollection(members.add, { body: { who: "no such user", role: body.role } }, unknownPerson),
  change: missing(members.change, "Member", "userId", { role: body.role }),
  remove: missing(members.remove, "Member", "userId"),
  leave: inCollection(members.leave, {}, () => refused(409, sentences.lastOwner)),
  transfer: missing(members.transfer, "Member", "userId", { userId: unknownId }),
  takeOver: inCollection(members.takeOver, {}, () => ({ data: () => null })),
  endTransfer: inCollection(members.endTransfer, {}, () => ({ data: () => null })),
  transferRequests: commandsFor(members.transferRequests, {
    weight: 1,
    request: () => ({}),
    expected: () => ({ data: () => [] }),
  }),
  shareWithTeam: missing(members.shareWithTeam, "Team", "teamId", { teamId: unknownId, role: body.role }),
  changeTeam: missing(members.changeTeam, "Team", "teamId", { role: body.role }),
  removeTeam: missing(members.removeTeam, "Team", "teamId"),
}

/** A call about a team that the account is not in. */
function inTeam(call: Call, sent?: object): CallCommands {
  return commandsFor(call, {
    weight: 1,
    request: () => ({
      id: unknownId,
      ids: { userId: unknownId, invitationId: unknownId },
      ...(sent === undefined ? {} : { body: sent }),
    }),
    expected: () => notFound("Team"),
  })
}

export const teamsCommands = {
  list: commandsFor(teams.list, { weight: 1, draw: fc.constant({}), expected: () => ({ data: (data) => data }) }),
  create: commandsFor(teams.create, {
    weight: 1,
    draw: fc.record({ name: draw.name }),
    expected: (_, { name }) =>
      unless(nameFaults(name), () => ({
        data: (data) => ({
          id: (data as { id: number }).id,
          name: name.trim(),
          isAdmin: true,
          memberCount: 1,
          collectionCount: 0,
        }),
      })),
  }),
  get: inTeam(teams.get),
  rename: inTeam(teams.rename, { name: body.name }),
  remove: inTeam(teams.remove),
  addMember: inTeam(teams.addMember, { who: "no such user" }),
  changeMember: inTeam(teams.changeMember, { isAdmin: body.isAdmin }),
  removeMember: inTeam(teams.removeMember),
  leave: inTeam(teams.leave),
}

/** No more than there can be open ones. */
const maxInvitations = 50

function invite(call: Call, sent: object): CallCommands {
  return commandsFor(call, {
    weight: 1,
    draw: fc.record({ at: draw.picked }),
    applies: ({ model }) => (model.guesses.get("invitations") ?? 0) < maxInvitations,
    request: ({ model, account }, { at }) => ({
      id: draw.resolve(model, account, "collection", at),
      body: { ...sent, ...terms },
    }),
    expected({ model, account }, _, { id = 0 }) {
      if (call === invitations.inviteToCollection && !account?.collections.has(id)) return missingCollection
      model.guesses.set("invitations", (model.guesses.get("invitations") ?? 0) + 1)
      // The whole answer is tested elsewhere.
      return { data: (data) => data }
    },
  })
}

const guessSecret = (call: Call) =>
  commandsFor(call, {
    weight: 1,
    draw: fc.record({ secret: draw.password }),
    applies: ({ model }) => (model.guesses.get("secrets") ?? 0) < maxLookUps,
    expected: ({ model }, { secret }) =>
      unless(tokenFaults(secret), () => {
        model.guesses.set("secrets", (model.guesses.get("secrets") ?? 0) + 1)
        return refused(404, sentences.invitationUnknown)
      }),
  })

const revokeUnknown = commandsFor(invitations.revokeOfServer, {
  weight: 1,
  draw: fc.constant({}),
  request: () => ({ ids: { invitationId: unknownId } }),
  expected: () => notFound("Invitation"),
})

const anyList: Expected = { data: (data) => data }

export const invitationsCommands = {
  listOfCollection: inCollection(invitations.listOfCollection, {}, () => anyList),
  inviteToCollection: invite(invitations.inviteToCollection, { role: body.role }),
  revokeOfCollection: missing(invitations.revokeOfCollection, "Invitation", "invitationId"),
  listOfTeam: inTeam(invitations.listOfTeam),
  inviteToTeam: inTeam(invitations.inviteToTeam, terms),
  revokeOfTeam: inTeam(invitations.revokeOfTeam),
  listOfServer: commandsFor(invitations.listOfServer, { weight: 1, draw: fc.constant({}), expected: () => anyList }),
  inviteToServer: invite(invitations.inviteToServer, {}),
  revokeOfServer: revokeUnknown,
  look: guessSecret(invitations.look),
  accept: guessSecret(invitations.accept),
}
