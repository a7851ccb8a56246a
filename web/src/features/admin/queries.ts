import { accounts, admin, claimedTeams, type InputOf, mailCalls, type SizedKind } from "@envkeep/contract"
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query"
import { api } from "../../lib/api.ts"
import { keys, userQuery } from "../../lib/state.ts"
import { useWrite } from "../../lib/write.ts"

/** The counters. Their error flag is the error of the query. */
export function useCounters() {
  return useQuery({ queryKey: keys.counters, queryFn: () => api(admin.counters, {}) })
}

export type CountedDays = NonNullable<InputOf<typeof admin.dailyCounts>["days"]>

/** The counts of earlier days. */
export function useDailyCounts(days: CountedDays) {
  return useQuery({
    queryKey: keys.dailyCounts(days),
    queryFn: async () => (await api(admin.dailyCounts, { days })).days,
    placeholderData: keepPreviousData,
  })
}

export function useSizes(kind: SizedKind) {
  return useQuery({
    queryKey: keys.sizes(kind),
    queryFn: () => api(admin.sizes, { kind }),
    refetchOnMount: "always",
  })
}

export function useMailState() {
  return useQuery({
    queryKey: keys.mailState,
    queryFn: () => api(mailCalls.admin.mail, {}),
    refetchOnMount: "always",
  })
}

export function useClaimedTeams() {
  return useQuery({
    queryKey: keys.claimedTeams,
    queryFn: () => api(claimedTeams.list, {}),
    refetchOnMount: "always",
  })
}

export function useTieTeam() {
  return useWrite(claimedTeams.tie, useReloadClaimedTeams())
}

export function useUntieTeam() {
  return useWrite(claimedTeams.untie, useReloadClaimedTeams())
}

function useReloadClaimedTeams() {
  const client = useQueryClient()
  return { reload: () => client.invalidateQueries({ queryKey: keys.claimedTeams }) }
}

type Listing = InputOf<typeof accounts.list>
export type AccountListing = { [Field in keyof Listing]-?: NonNullable<Listing[Field]> }

export function useAccounts(listing: AccountListing) {
  return useQuery({
    queryKey: keys.accountList(listing),
    queryFn: () => api(accounts.list, listing),
    // The list stays while another page or search is loaded.
    placeholderData: keepPreviousData,
    refetchOnMount: "always",
  })
}

export type AccountChange = Exclude<keyof typeof accounts, "list" | "createResetLink" | "createFactorLink">

/** Changes an account and shows what became of it. Users who revoked their own admin rights may not read the list. */
export function useChangeAccount(change: AccountChange) {
  const client = useQueryClient()
  return useWrite(accounts[change], {
    reload: async () => {
      await client.invalidateQueries({ queryKey: keys.user })
      const isAdmin = client.getQueryData(userQuery.queryKey)?.isAdmin === true
      if (isAdmin) await client.invalidateQueries({ queryKey: keys.accountLists })
    },
  })
}

export function useCreateResetLink() {
  return useWrite(accounts.createResetLink)
}

export function useCreateFactorLink() {
  return useWrite(accounts.createFactorLink)
}

export function useProducts() {
  return useQuery({
    queryKey: keys.products,
    queryFn: async () => (await api(admin.listProducts, {})).products,
  })
}

/** The specification asks for no checks in the browser: the server validates the product. */
export function useCreateProduct() {
  const client = useQueryClient()
  return useWrite(admin.createProduct, {
    unchecked: true,
    reload: () => client.invalidateQueries({ queryKey: keys.products }),
  })
}
