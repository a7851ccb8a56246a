import { teams } from "@envkeep/contract"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { api } from "../../lib/api.ts"
import { keys } from "../../lib/state.ts"
import { useWrite } from "../../lib/write.ts"

export function useTeams() {
  return useQuery({ queryKey: keys.teamList, queryFn: () => api(teams.list, {}), refetchOnMount: "always" })
}

export function useTeam(id: number) {
  return useQuery({ queryKey: keys.team(id), queryFn: () => api(teams.get, { id }), refetchOnMount: "always" })
}

function useReload() {
  const client = useQueryClient()
  return { reload: () => client.invalidateQueries({ queryKey: keys.teams }) }
}

export function useCreateTeam() {
  return useWrite(teams.create, useReload())
}

export function useRenameTeam() {
  return useWrite(teams.rename, useReload())
}

export function useAddTeamMember() {
  return useWrite(teams.addMember, useReload())
}

export function useChangeTeamMember() {
  return useWrite(teams.changeMember, useReload())
}

export function useRemoveTeamMember() {
  return useWrite(teams.removeMember, useReload())
}

/** Afterwards the user may reach fewer collections, and none of the team. Its own cache entry expires. */
function useReloadList() {
  const client = useQueryClient()
  return {
    reload() {
      void client.invalidateQueries({ queryKey: keys.teamList })
      void client.invalidateQueries({ queryKey: keys.collections })
    },
  }
}

export function useLeaveTeam() {
  return useWrite(teams.leave, useReloadList())
}

export function useRemoveTeam() {
  return useWrite(teams.remove, useReloadList())
}
