import { useSearchParams } from "react-router"

/*
 * A link can point into an environment: `?env=12&item=PORT` to an item, and `?env=12&open=keys` to a dialog. The last `env`
 * is the one that is meant. `?open=new` points to the form for a new environment. Once the page has followed the link, only
 * the environments stay in the address.
 */

export const arrivalDialogs = ["import", "export", "keys"] as const
export type ArrivalDialog = (typeof arrivalDialogs)[number]

export interface Arrival {
  item?: string
  open?: ArrivalDialog
}

interface Place {
  collectionId: number
  environmentId: number
}

/** The address of an environment, and of what is in it. On the page of its collection, what is open there stays open. */
export function environmentAddress(
  { collectionId, environmentId }: Place,
  arrival: Arrival,
  here: { pathname: string; search: string },
): string {
  const { pathname, params } = collectionPage(collectionId, here)
  params.delete("env", String(environmentId))
  params.append("env", String(environmentId))
  for (const [name, value] of Object.entries(arrival)) params.set(name, value)
  return `${pathname}?${params}`
}

const newEnvironment = "new"

/** The address of the form for a new environment. On the page of the collection, what is open there stays open. */
export function newEnvironmentAddress(collectionId: number, here: { pathname: string; search: string }): string {
  const { pathname, params } = collectionPage(collectionId, here)
  params.set("open", newEnvironment)
  return `${pathname}?${params}`
}

function collectionPage(collectionId: number, here: { pathname: string; search: string }) {
  const pathname = `/collection/${collectionId}`
  const opened = here.pathname === pathname ? new URLSearchParams(here.search).getAll("env") : []
  return { pathname, params: new URLSearchParams(opened.map((id) => ["env", id])) }
}

/** Whether the address asks for a new environment. */
export function useNewEnvironmentArrival(): { isAsked: boolean; onArrived: () => void } {
  const [params] = useSearchParams()
  return { isAsked: params.get("open") === newEnvironment, onArrived: useFollowed() }
}

/** What the address asks of this environment. */
export function useArrival(environmentId: number): Arrival & { onArrived: () => void } {
  const [params] = useSearchParams()
  const onArrived = useFollowed()
  if (Number(params.getAll("env").at(-1)) !== environmentId) return { onArrived }
  const item = params.get("item") ?? undefined
  const open = arrivalDialogs.find((dialog) => dialog === params.get("open"))
  return { ...(item !== undefined && { item }), ...(open !== undefined && { open }), onArrived }
}

/** Removes from the address what the page has followed. */
function useFollowed(): () => void {
  const [, setParams] = useSearchParams()
  return () => {
    const followed = (current: URLSearchParams) => {
      const next = new URLSearchParams(current)
      next.delete("item")
      next.delete("open")
      return next
    }
    setParams(followed, { replace: true, preventScrollReset: true })
  }
}
