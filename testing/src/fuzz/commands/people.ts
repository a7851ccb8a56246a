import { type Call, invitations, members, sentences, teams } from "@envkeep/contract"
import { anyData, commandsAbout, commandsFor, notFound, refused, refusedCalls } from "../model/command.ts"
import { countGuess, guessesOf, type Model } from "../model/model.ts"
import { membersView } from "../model/views.ts"

// The accounts of a model share nothing: what they name here exists for none of them. The kind `people` is about sharing.

/** A call about something in a collection that no collection has. */
const missing = (call: Call, what: string) =>
  commandsAbout("collection", call, { weight: 1, refusal: () => notFound(what) })

/** So that the commands stay below the limits on guessing and on open invitations. */
const maxGuesses = 50
const mayGuess =
  (what: string) =>
  ({ model }: { model: Model }) =>
    guessesOf(model, what) < maxGuesses

export const membersCommands = {
  list: commandsAbout("collection", members.list, { weight: 1, data: ({ account }) => membersView(account) }),
  add: commandsAbout("collection", members.add, {
    weight: 1,
    applies: ({ model, account }) => guessesOf(model, `people by ${account?.id}`) < maxGuesses,
    refusal({ model, account }) {
      countGuess(model, `people by ${account.id}`)
      return refused(400, sentences.userUnknown)
    },
  }),
  change: missing(members.change, "Member"),
  remove: missing(members.remove, "Member"),
  leave: commandsAbout("collection", members.leave, { weight: 1, refusal: () => refused(409, sentences.lastOwner) }),
  transfer: missing(members.transfer, "Member"),
  takeOver: commandsAbout("collection", members.takeOver, { weight: 1 }),
  endTransfer: commandsAbout("collection", members.endTransfer, { weight: 1 }),
  transferRequests: commandsFor(members.transferRequests, { weight: 1, data: () => [] }),
  shareWithTeam: missing(members.shareWithTeam, "Team"),
  changeTeam: missing(members.changeTeam, "Team"),
  removeTeam: missing(members.removeTeam, "Team"),
}

/** A call about a team that the account is not in. */
const inTeam = refusedCalls(notFound("Team"))

export const teamsCommands = {
  list: commandsFor(teams.list, { weight: 1, data: anyData }),
  create: commandsFor(teams.create, {
    weight: 1,
    data: ({ input }, { id }) => ({
      id,
      name: input.name.trim(),
      isAdmin: true,
      memberCount: 1,
      collectionCount: 0,
    }),
  }),
  get: inTeam(teams.get),
  rename: inTeam(teams.rename),
  remove: inTeam(teams.remove),
  addMember: inTeam(teams.addMember),
  changeMember: inTeam(teams.changeMember),
  removeMember: inTeam(teams.removeMember),
  leave: inTeam(teams.leave),
}

const invite = {
  weight: 1,
  applies: mayGuess("invitations"),
  data<Data>({ model }: { model: Model }, data: Data): Data {
    countGuess(model, "invitations")
    return data
  },
}

const guessSecret = {
  weight: 1,
  applies: mayGuess("secrets"),
  refusal({ model }: { model: Model }) {
    countGuess(model, "secrets")
    return refused(404, sentences.invitationUnknown)
  },
}

export const invitationsCommands = {
  listOfCollection: commandsAbout("collection", invitations.listOfCollection, { weight: 1, data: anyData }),
  inviteToCollection: commandsAbout("collection", invitations.inviteToCollection, invite),
  revokeOfCollection: missing(invitations.revokeOfCollection, "Invitation"),
  listOfTeam: inTeam(invitations.listOfTeam),
  inviteToTeam: inTeam(invitations.inviteToTeam),
  revokeOfTeam: inTeam(invitations.revokeOfTeam),
  listOfServer: commandsFor(invitations.listOfServer, { weight: 1, data: anyData }),
  inviteToServer: commandsFor(invitations.inviteToServer, invite),
  revokeOfServer: refusedCalls(notFound("Invitation"))(invitations.revokeOfServer),
  look: commandsFor(invitations.look, guessSecret),
  accept: commandsFor(invitations.accept, guessSecret),
}
