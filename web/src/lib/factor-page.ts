import { startPage } from "@envkeep/contract"

/** Where users who lack the second factor that the server requires set one up, before they go on. */
export const factorPage = "/user/second-factor"

/** What the address of a page says about a visit to a sign-in provider. */
export const visitParameters = ["problem", "connected"]

interface Page {
  pathname: string
  search: string
  hash: string
}

/** The address of the set-up for a user who was on the way to a page. It shows what came of a visit to a provider. */
export function factorPageBefore({ pathname, search, hash }: Page) {
  const all = [...new URLSearchParams(search)]
  const visit = new URLSearchParams(all.filter(([name]) => visitParameters.includes(name)))
  const others = new URLSearchParams(all.filter(([name]) => !visitParameters.includes(name)))
  const wanted = `${pathname}${others.size > 0 ? `?${others}` : ""}${hash}`
  if (wanted !== startPage) visit.set("to", wanted)
  return { pathname: factorPage, search: visit.toString() }
}
