import { type InputOf, invitations, type MailedInvitation, mailCalls, type NewInvitation } from "@envkeep/contract"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { ApiError, api } from "../../lib/api.ts"
import { dropInvitation } from "../../lib/held-invitation.ts"
import { sendsMail } from "../../lib/mail.ts"
import { keys } from "../../lib/state.ts"
import { type OnRefused, useWrite } from "../../lib/write.ts"

/** What invitations lead to. */
export type InvitationScope = { of: "collection" | "team"; id: number } | { of: "server" }

function keyOf(scope: InvitationScope) {
  if (scope.of === "server") return keys.serverInvitations
  return [...(scope.of === "team" ? keys.team(scope.id) : keys.sharing(scope.id)), "invitations"]
}

export function useInvitations(scope: InvitationScope) {
  return useQuery({
    queryKey: keyOf(scope),
    queryFn: () => {
      if (scope.of === "server") return api(invitations.listOfServer, {})
      return api(scope.of === "team" ? invitations.listOfTeam : invitations.listOfCollection, { id: scope.id })
    },
    // Each use by someone else changes it.
    refetchOnMount: "always",
  })
}

function useReload(scope: InvitationScope) {
  const client = useQueryClient()
  return { reload: () => client.invalidateQueries({ queryKey: keyOf(scope) }) }
}

type Terms = Omit<InputOf<typeof mailCalls.invitations.inviteToCollection>, "id">

/** Only a server that sends mail says where it was sent. */
export type MadeInvitation = NewInvitation & Partial<Pick<MailedInvitation, "sentTo">>

/** Those of this server: only one that sends mail takes an address. */
export function inviteCalls() {
  return sendsMail() ? mailCalls.invitations : invitations
}

/** A team and an account have no role. */
export function useInvite(scope: InvitationScope) {
  const { inviteToCollection, inviteToTeam, inviteToServer } = inviteCalls()
  const toCollection = useWrite(inviteToCollection, useReload(scope))
  const toTeam = useWrite(inviteToTeam, useReload(scope))
  const toServer = useWrite(inviteToServer, useReload(scope))
  return ({ role, ...terms }: Terms, onRefused?: OnRefused) => {
    if (scope.of === "server") return toServer(terms, onRefused)
    if (scope.of === "team") return toTeam({ id: scope.id, ...terms }, onRefused)
    return toCollection({ id: scope.id, role, ...terms }, onRefused)
  }
}

export function useRevoke(scope: InvitationScope) {
  const ofCollection = useWrite(invitations.revokeOfCollection, useReload(scope))
  const ofTeam = useWrite(invitations.revokeOfTeam, useReload(scope))
  const ofServer = useWrite(invitations.revokeOfServer, useReload(scope))
  return (invitationId: number) => {
    if (scope.of === "server") return ofServer({ invitationId })
    return (scope.of === "team" ? ofTeam : ofCollection)({ id: scope.id, invitationId })
  }
}

/** Who invites to what. The secret is not part of the cache's key, which names the visit instead. */
export function useInvitationOffer(visit: string, secret: string) {
  return useQuery({
    queryKey: keys.invitationOffer(visit),
    queryFn: () => api(invitations.look, { secret }),
    // For guests too.
    enabled: true,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
}

/** Whether the server has said that the link leads to nothing. Any other failure can pass. */
export function isDeadLink(error: Error): boolean {
  return error instanceof ApiError && [404, 410].includes(error.status)
}

/** Resolves to where the user is a member now. `onDeadLink` gets the sentence that says why it never will. */
export function useAcceptInvitation() {
  const client = useQueryClient()
  const accept = useWrite(invitations.accept)
  return async (secret: string, onDeadLink: (sentence: string) => void): Promise<string | undefined> => {
    const done = await accept({ secret }, (sentence, _, error) => {
      if (isDeadLink(error)) onDeadLink(sentence)
    })
    if (done === undefined) return undefined
    dropInvitation()
    for (const queryKey of [keys.collections, keys.teams]) void client.invalidateQueries({ queryKey })
    const { collectionId, teamId } = done.data
    if (collectionId !== null) return `/collection/${collectionId}`
    return teamId === null ? "/collection/dashboard" : `/user/teams/${teamId}`
  }
}
