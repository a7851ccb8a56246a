import { admin } from "@envkeep/contract"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { api } from "../../lib/api.ts"
import { keys } from "../../lib/state.ts"
import { useWrite } from "../../lib/write.ts"

/** The counters. Their error flag is the error of the query. */
export function useCounters() {
  return useQuery({ queryKey: keys.counters, queryFn: () => api(admin.counters, {}) })
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
